/** Registry credentials from `docker login`. awf has none of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly serveraddress: string;
}

interface DockerConfig {
  readonly auths?: Readonly<
    Record<string, { readonly auth?: string; readonly identitytoken?: string }>
  >;
  readonly credsStore?: string;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

const hub = "https://index.docker.io/v1/";

/** The header for pulling an image; an empty login if there is none. */
export async function registryAuth(image: string): Promise<string> {
  return encoded((await loginFor(registryOf(image))) ?? {});
}

/** The header for building from an image. */
export async function registryConfig(base: string): Promise<string> {
  const registry = registryOf(base);
  const login = await loginFor(registry);
  return encoded(login ? { [registry]: login } : {});
}

/** `ghcr.io` of `ghcr.io/a/b:c`; a name without a host belongs to Docker Hub. */
export function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : hub;
}

async function loginFor(registry: string): Promise<Login | undefined> {
  const config = readConfig();
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  if (helper !== undefined) return askHelper(helper, registry);
  const entry = config.auths?.[registry];
  if (entry?.identitytoken) return { identitytoken: entry.identitytoken, serveraddress: registry };
  if (!entry?.auth) return undefined;
  const [, username, password] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(entry.auth, "base64").toString()) ?? [];
  return username === undefined || password === undefined
    ? undefined
    : { username, password, serveraddress: registry };
}

function readConfig(): DockerConfig {
  const directory = process.env.DOCKER_CONFIG ?? join(homedir(), ".docker");
  try {
    return JSON.parse(readFileSync(join(directory, "config.json"), "utf8")) as DockerConfig;
  } catch {
    // No login.
    return {};
  }
}

/** Helpers are programs that read a registry's name and print its login. */
async function askHelper(helper: string, registry: string): Promise<Login | undefined> {
  const child = spawn(`docker-credential-${helper}`, ["get"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const failed = new Promise<undefined>((resolve) => child.once("error", () => resolve(undefined)));
  child.stdin.on("error", () => {});
  child.stdin.end(registry);
  const answer = await Promise.race([text(child.stdout), failed]);
  try {
    const { Username, Secret } = JSON.parse(answer ?? "") as { Username: string; Secret: string };
    return Username === "<token>"
      ? { identitytoken: Secret, serveraddress: registry }
      : { username: Username, password: Secret, serveraddress: registry };
  } catch {
    return undefined;
  }
}

/** URL-safe Base64 with padding, as engines require. */
function encoded(value: object): string {
  const text = Buffer.from(JSON.stringify(value)).toString("base64");
  return text.replaceAll("+", "-").replaceAll("/", "_");
}
