/** A Go module proxy of static files over HTTP, and `go` itself as its client. */
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { answer, identity, type Served, source } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import { closed, urlOf } from "./server.js";

export interface GoProxy extends AsyncDisposable, Served {
  publish(
    module: string,
    version: string,
    goMod?: string,
    code?: Readonly<Record<string, string>>,
  ): void;
}

/** `behind`: a UNIX socket to listen on; a proxy forwards requests for `url` to it. */
export async function goProxy(behind?: { socket: string; url: string }): Promise<GoProxy> {
  const files = new Map<string, Buffer>();
  const versions = new Map<string, string[]>();
  const published: unknown[] = [source(import.meta.url)];
  const server = createServer((request, response) => {
    const body = files.get(decodeURIComponent(request.url ?? ""));
    response.writeHead(body ? 200 : 404).end(body);
  });
  if (behind) server.listen(behind.socket);
  else server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const escaped = (text: string): string =>
    text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
  return {
    url: behind?.url ?? urlOf(server),
    published,
    publish: (
      module,
      version,
      requires = "",
      code = { "code.go": `package ${module.split("/").at(-1)}\n` },
    ) => {
      published.push([module, version, requires, code]);
      const base = `/${escaped(module)}/@v`;
      const goMod = `module ${module}\n\ngo 1.17\n${requires}`;
      const content = { "go.mod": goMod, ...code };
      const zip = zipSync(
        Object.fromEntries(
          Object.entries(content).map(([name, text]) => [
            `${module}@${version}/${name}`,
            Buffer.from(text),
          ]),
        ),
      );
      versions.set(module, [...(versions.get(module) ?? []), version]);
      files.set(`${base}/list`, Buffer.from((versions.get(module) ?? []).join("\n")));
      files.set(`${base}/${version}.mod`, Buffer.from(goMod));
      files.set(`${base}/${version}.zip`, Buffer.from(zip));
      files.set(
        `${base}/${version}.info`,
        Buffer.from(JSON.stringify({ Version: version, Time: "2026-01-01T00:00:00Z" })),
      );
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

type Code = Readonly<Record<string, string>>;

/** The files of a module after each `go` command. */
export const go = (
  files: Code,
  { url, published }: GoProxy,
  ...commands: readonly (readonly string[])[]
): Promise<Code> =>
  answer([identity("go"), published, files, commands], () => filesAfter(files, url, commands), url);

async function filesAfter(
  files: Code,
  proxy: string,
  commands: readonly (readonly string[])[],
): Promise<Code> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-go-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      GOPATH: join(directory, "gopath"),
      GOFLAGS: "-modcacherw",
      GOPROXY: proxy,
      GOSUMDB: "off",
      GOTOOLCHAIN: "local",
    };
    for (const command of commands) await outputOf("go", [...command], { cwd: directory, env });
    const names = new Set([...Object.keys(files), "go.mod", "go.sum"]);
    const read = await Promise.all(
      [...names].map(
        async (name) =>
          [name, await readFile(join(directory, name), "utf8").catch(() => "")] as const,
      ),
    );
    return Object.fromEntries(read);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
