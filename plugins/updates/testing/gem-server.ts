/** A gem server with the compact index, and `bundle` itself as its client. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { answer, identity, type Served } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import { closed, urlOf } from "./server.js";

export interface GemServer extends AsyncDisposable, Served {
  /** `needs`: `inner:>= 1&< 2,other:~> 1.0`, in the format of the index. */
  publish(name: string, version: string, needs?: string, about?: string): void;
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export async function gemServer(): Promise<GemServer> {
  const gems = new Map<string, string[]>();
  const versions = new Map<string, string[]>();
  const info = (name: string): string => `---\n${(gems.get(name) ?? []).join("\n")}\n`;
  const all = (): string =>
    `created_at: 2026-01-01T00:00:00Z\n---\n${[...versions]
      .map(([name, list]) => `${name} ${list.join(",")} ${md5(info(name))}\n`)
      .join("")}`;
  const server = createServer(({ url = "" }, response) => {
    const [, name] = /^\/info\/(.+)$/.exec(url) ?? [];
    const body =
      url === "/versions" ? all() : name !== undefined && gems.has(name) ? info(name) : undefined;
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { etag: `"${md5(body)}"` }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: urlOf(server),
    get published() {
      return [all(), ...[...gems.keys()].map(info)];
    },
    publish: (name, version, needs = "", about = "") => {
      const more = about === "" ? "" : `,${about}`;
      const line = `${version} ${needs}|checksum:${sha256(`${name} ${version}`)}${more}`;
      gems.set(name, [...(gems.get(name) ?? []), line]);
      versions.set(name, [...(versions.get(name) ?? []), version]);
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

type Texts = Readonly<Record<string, string>>;

/** The files of a project after each `bundle` command with what this server has published. */
export const bundled = (
  { url, published }: GemServer,
  files: Texts,
  ...commands: readonly (readonly string[])[]
): Promise<Texts> =>
  answer(
    [identity("bundle"), identity("ruby"), published, files, commands],
    () => bundle(files, ...commands),
    url,
  );

/** The files of a project after each `bundle` command. */
export async function bundle(
  files: Texts,
  ...commands: readonly (readonly string[])[]
): Promise<Texts> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-bundle-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      LANG: "C.UTF-8",
      BUNDLE_DISABLE_VERSION_CHECK: "true",
      BUNDLE_SILENCE_ROOT_WARNING: "true",
      BUNDLE_APP_CONFIG: join(directory, ".none"),
    };
    for (const command of commands) await outputOf("bundle", [...command], { cwd: directory, env });
    const names = new Set([...Object.keys(files), "Gemfile.lock"]);
    const read = await Promise.all(
      [...names].map(
        async (name) =>
          [name, await readFile(join(directory, name), "utf8").catch(() => "")] as const,
      ),
    );
    return Object.fromEntries(read.filter(([, text]) => text !== ""));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
