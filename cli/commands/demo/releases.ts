/** Releases versions of a package, for a repository that depends on it. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Control } from "../../control/client.js";

const run = promisify(execFile);

const PACKAGE = "left-foo";
/** Milliseconds between two releases. */
const EVERY = 4000;
const RETRY = 500;

/** A registry of npm with one package, on a port of this machine's own. */
export interface Registry {
  readonly url: string;
  /** Returns the version. */
  release(): string;
  close(): Promise<void>;
}

export async function openRegistry(): Promise<Registry> {
  const versions = ["1.0.0"];
  const server = createServer((request, response) => {
    const isKnown = request.url === `/${PACKAGE}`;
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? packument(versions) : {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    release() {
      const version = `1.${Math.floor(versions.length / 3)}.${versions.length % 3}`;
      versions.push(version);
      return version;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function packument(versions: readonly string[]): object {
  const integrity = `sha512-${Buffer.alloc(64).toString("base64")}`;
  const about = (version: string) => [
    version,
    {
      ...{ name: PACKAGE, version },
      dist: { tarball: `http://127.0.0.1/${PACKAGE}-${version}.tgz`, integrity },
    },
  ];
  return {
    name: PACKAGE,
    "dist-tags": { latest: versions.at(-1) },
    versions: Object.fromEntries(versions.map(about)),
  };
}

/** Releases until `signal` is aborted. Without git there are no repositories, and so no updates. */
export async function releases(
  { directory, control }: { readonly directory: string; readonly control: Control },
  registry: Registry,
  signal: AbortSignal,
): Promise<void> {
  const announce = (path: string, body: object) => control.post(`/v1/updates${path}`, body);
  const pause = (milliseconds: number) =>
    delay(milliseconds, undefined, { signal }).catch(() => undefined);
  try {
    await announce("/accounts", { login: "acme", type: "org" });
    await announce("/repos", { login: "acme", name: "site" });
    await push(directory, signal);
    const config = {
      repo: "acme/site",
      "package-manager": "npm_and_yarn",
      "update-schedule": "live",
    };
    await announce("/configs", { ...config, "automerge-rule-runtime-deps": "semver:patch" });
  } catch {
    return;
  }
  while (!signal.aborted) {
    const body = { "package-manager": "npm_and_yarn", name: PACKAGE, version: registry.release() };
    // Busy for a moment, or ending.
    await announce("/notifications", body).catch(() => pause(RETRY));
    await pause(EVERY);
  }
}

/** The first commit of `acme/site`. */
async function push(directory: string, signal: AbortSignal): Promise<void> {
  const cwd = join(directory, "site");
  mkdirSync(cwd, { recursive: true });
  const manifest = { name: "site", private: true, dependencies: { [PACKAGE]: "1.0.0" } };
  writeFileSync(join(cwd, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const git = (...words: readonly string[]) =>
    run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], {
      cwd,
      signal,
      // A person's settings may sign commits or run hooks.
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "A site");
  await git("push", "--quiet", join(directory, "repositories/acme/site.git"), "main");
  rmSync(cwd, { recursive: true });
}
