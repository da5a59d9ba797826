/** A Hex registry: signed messages in protocol buffers over HTTP. And what Mix itself makes of a lock. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

interface HexDependency {
  readonly name: string;
  readonly requirement: string;
  readonly app?: string;
  readonly optional?: boolean;
}

export interface HexRegistry extends AsyncDisposable {
  readonly url: string;
  publish(name: string, version: string, needs?: readonly HexDependency[]): void;
  retire(name: string, version: string, message: string): void;
}

interface Published {
  readonly version: string;
  readonly needs: readonly HexDependency[];
  retired?: string;
}

const sum = (text: string): Buffer => createHash("sha256").update(text).digest();

export async function hexRegistry(): Promise<HexRegistry> {
  const packages = new Map<string, Published[]>();
  const server = createServer(({ url = "" }, response) => {
    const [, name = ""] = /^\/packages\/(.+)$/.exec(url) ?? [];
    const releases = packages.get(name);
    if (!releases) response.writeHead(404).end();
    else response.end(gzipSync(hexPackage(name, releases)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: (name, version, needs = []) => {
      packages.set(name, [...(packages.get(name) ?? []), { version, needs }]);
    },
    retire: (name, version, message) => {
      const release = packages.get(name)?.find((one) => one.version === version);
      if (release) release.retired = message;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** As a registry answers, before it is packed: the message, and a signature that nobody looks at. */
export const hexPackage = (name: string, releases: readonly Published[]): Buffer =>
  Buffer.concat([
    bytes(
      1,
      Buffer.concat([
        ...releases.map((release) => bytes(1, message(name, release))),
        bytes(2, name),
        bytes(3, "hexpm"),
      ]),
    ),
    bytes(2, "signature"),
  ]);

const message = (name: string, { version, needs, retired }: Published): Buffer =>
  Buffer.concat([
    bytes(1, version),
    bytes(2, sum(`inner ${name} ${version}`)),
    ...needs.map(({ name: needed, requirement, app, optional }) =>
      bytes(
        3,
        Buffer.concat([
          ...[bytes(1, needed), bytes(2, requirement)],
          ...(optional ? [Buffer.from([3 << 3, 1])] : []),
          ...(app === undefined ? [] : [bytes(4, app)]),
        ]),
      ),
    ),
    ...(retired === undefined
      ? []
      : [bytes(4, Buffer.concat([Buffer.from([1 << 3, 2]), bytes(2, retired)]))]),
    bytes(5, sum(`outer ${name} ${version}`)),
  ]);

function bytes(field: number, value: Buffer | string): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([(field << 3) | 2]), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...out, left]);
    out.push((left % 128) | 128);
  }
}

/** A mix.lock with these in it, `name version` → what it needs. */
export function mixLock(packages: Readonly<Record<string, readonly HexDependency[]>>): string {
  const lines = Object.entries(packages).map(([whole, needs]) => {
    const [name = "", version = ""] = whole.split(" ");
    const [inner, outer] = ["inner", "outer"].map((word) =>
      sum(`${word} ${whole}`).toString("hex"),
    );
    const list = needs.map(
      ({ name: needed, requirement, app = needed, optional = false }) =>
        `{:${app}, "${requirement}", [hex: :${needed}, repo: "hexpm", optional: ${optional}]}`,
    );
    return `  "${name}": {:hex, :${name}, "${version}", "${inner}", [:mix], [${list.join(", ")}], "hexpm", "${outer}"},\n`;
  });
  return `%{\n${lines.join("")}}\n`;
}

const REWRITE = `lock = Mix.Dep.Lock.read()
File.rm!("mix.lock")
Mix.Dep.Lock.write(lock)
`;

/** The lock as Mix writes it after reading this one. @throws where Mix cannot read it */
export async function rewrittenByMix(lock: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-mix-"));
  try {
    const project =
      'defmodule P do\n  use Mix.Project\n  def project, do: [app: :p, version: "0.1.0"]\nend\n';
    await writeFile(join(directory, "mix.exs"), project);
    await writeFile(join(directory, "mix.lock"), lock);
    const env = { PATH: process.env.PATH, HOME: directory, LANG: "C.UTF-8" };
    const argv = ["run", "--no-compile", "--no-deps-check", "--no-start", "-e", REWRITE];
    await promisify(execFile)("mix", argv, { cwd: directory, env });
    return await readFile(join(directory, "mix.lock"), "utf8");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
