/** A registry of crates, made of files: a git index as every Cargo reads it, the same sparse over HTTP, and Cargo itself on top. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { git } from "./house.js";
import { tarball } from "./tarball.js";

// Debian's cargo: one that rustup put before it works in its owner's home only.
process.env.PATH = `/usr/bin:${process.env.PATH ?? ""}`;

const run = promisify(execFile);

export interface Published {
  /** Name → requirement, or more of it. */
  readonly dependencies?: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  readonly features?: Readonly<Record<string, readonly string[]>>;
  readonly rust?: string;
  readonly yanked?: boolean;
}

export interface CargoRegistry extends AsyncDisposable {
  /** Of the sparse index, without a trailing slash. */
  readonly url: string;
  /** The directory of the git index, up to date after `cargo`. */
  readonly index: string;
  publish(name: string, version: string, more?: Published): Promise<void>;
  /** Files after each of these commands of Cargo, which asks the git index in place of crates.io. */
  cargo(files: Code, ...commands: readonly (readonly string[])[]): Promise<Code>;
}

type Code = Readonly<Record<string, string>>;

export async function cargoRegistry(): Promise<CargoRegistry> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-crates-"));
  const index = join(folder, "index");
  const crates = join(folder, "crates");
  await mkdir(index);
  await mkdir(crates);
  await git(index, "init", "--quiet", "--initial-branch=master");
  await writeFile(
    join(index, "config.json"),
    JSON.stringify({ dl: `file://${crates}/{crate}-{version}.crate` }),
  );
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? "");
    response.writeHead(body === undefined ? 404 : 200).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  let committed = false;
  const commit = async (): Promise<void> => {
    if (committed) return;
    await git(index, "add", "--all");
    await git(index, "commit", "--quiet", "--allow-empty", "--message", "publish");
    committed = true;
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    index,
    publish: async (name, version, { dependencies = {}, features = {}, rust, yanked } = {}) => {
      const manifest = `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2018"\n\n${Object.entries(
        dependencies,
      )
        .map(([key, value]) => `[dependencies.${key}]\nversion = "${requirement(value)}"\n`)
        .join("")}`;
      const packed = tarball(
        { "Cargo.toml": manifest, "src/lib.rs": "pub fn here() {}\n" },
        `${name}-${version}`,
      );
      const line = JSON.stringify({
        name,
        vers: version,
        deps: Object.entries(dependencies).map(([key, value]) => ({
          name: key,
          req: requirement(value),
          features: [],
          optional: false,
          default_features: true,
          target: null,
          kind: "normal",
          ...(typeof value === "string" ? {} : value),
        })),
        cksum: createHash("sha256").update(packed).digest("hex"),
        features,
        yanked: yanked === true,
        ...(rust === undefined ? {} : { rust_version: rust }),
      });
      const path = placeOf(name);
      const text = `${files.get(`/${path}`) ?? ""}${line}\n`;
      files.set(`/${path}`, text);
      committed = false;
      await mkdir(dirname(join(index, path)), { recursive: true });
      await writeFile(join(index, path), text);
      await writeFile(join(crates, `${name}-${version}.crate`), packed);
    },
    cargo: async (given, ...commands) => {
      await commit();
      const directory = await mkdtemp(join(tmpdir(), "reeve-cargo-"));
      try {
        const config = `[source.crates-io]\nreplace-with = "here"\n[source.here]\nregistry = "file://${index}"\n`;
        const all = { ".home/config.toml": config, ...given };
        for (const [name, text] of Object.entries(all)) {
          await mkdir(dirname(join(directory, name)), { recursive: true });
          await writeFile(join(directory, name), text);
        }
        const home = join(directory, ".home");
        const env = {
          PATH: process.env.PATH,
          HOME: home,
          CARGO_HOME: home,
        };
        for (const command of commands) await run("cargo", [...command], { cwd: directory, env });
        const names = [...new Set([...Object.keys(given), "Cargo.lock"])];
        const read = names.map(
          async (name) =>
            [name, await readFile(join(directory, name), "utf8").catch(() => "")] as const,
        );
        return Object.fromEntries(await Promise.all(read));
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const requirement = (value: string | Readonly<Record<string, unknown>>): string =>
  typeof value === "string" ? value : String(value.req);

/** As the format of the index says. */
function placeOf(name: string): string {
  if (name.length < 3) return `${name.length}/${name}`;
  return name.length === 3
    ? `3/${name[0]}/${name}`
    : `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}
