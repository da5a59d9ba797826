/** A crate registry with a sparse index over HTTP, and Cargo itself as its client. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { answer, identity } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import { closed, urlOf } from "./server.js";
import { tarball } from "./tarball.js";

// Debian's cargo: one of rustup works only in the home of its owner.
process.env.PATH = `/usr/bin:${process.env.PATH ?? ""}`;

export interface Published {
  /** Name → requirement, or the whole entry. */
  readonly dependencies?: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  readonly features?: Readonly<Record<string, readonly string[]>>;
  readonly rust?: string;
  readonly yanked?: boolean;
}

export interface CargoRegistry extends AsyncDisposable {
  /** Of the sparse index, without a trailing slash. */
  readonly url: string;
  /** `GET /le/ft/left`, in order. */
  readonly log: readonly string[];
  publish(name: string, version: string, more?: Published): Promise<void>;
  /** The files after each of these Cargo commands, with this registry in place of crates.io. */
  cargo(files: Code, ...commands: readonly (readonly string[])[]): Promise<Code>;
}

type Code = Readonly<Record<string, string>>;

/** Listens on a UNIX socket; a proxy forwards requests for `url` to it. */
interface Behind {
  readonly socket: string;
  readonly url: string;
}

interface Served {
  readonly behind?: Behind;
  /** The credential that every request needs. */
  readonly token?: string;
}

export async function cargoRegistry({ behind, token }: Served = {}): Promise<CargoRegistry> {
  const files = new Map<string, string | Buffer>();
  const log: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    log.push(`${request.method} ${path}`);
    if (token !== undefined && request.headers.authorization !== token && path !== "/config.json")
      return response.writeHead(401).end();
    const body = files.get(path);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  if (behind) server.listen(behind.socket);
  else server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = behind?.url ?? urlOf(server);
  files.set(
    "/config.json",
    JSON.stringify({
      dl: `${url}/crates/{crate}-{version}.crate`,
      "auth-required": token !== undefined,
    }),
  );

  return {
    url,
    log,
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
      const path = `/${indexPath(name)}`;
      files.set(path, `${files.get(path) ?? ""}${line}\n`);
      files.set(`/crates/${name}-${version}.crate`, packed);
    },
    cargo: (given, ...commands) => {
      const index = [...files].filter(([, body]) => typeof body === "string");
      const inputs = [identity("cargo"), index, token, given, commands];
      return answer(inputs, () => filesAfter({ url, token }, given, commands), url);
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

/** The files after each of these commands of Cargo with this registry. */
async function filesAfter(
  { url, token }: { readonly url: string; readonly token: string | undefined },
  given: Code,
  commands: readonly (readonly string[])[],
): Promise<Code> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-cargo-"));
  try {
    const config = `[source.crates-io]\nreplace-with = "here"\n[registries.here]\nindex = "sparse+${url}/"\n`;
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
      ...(token === undefined ? {} : { CARGO_REGISTRIES_HERE_TOKEN: token }),
      CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: "cargo:token",
    };
    for (const command of commands) await outputOf("cargo", [...command], { cwd: directory, env });
    const names = [...new Set([...Object.keys(given), "Cargo.lock"])];
    const read = names.map(
      async (name) =>
        [name, await readFile(join(directory, name), "utf8").catch(() => "")] as const,
    );
    return Object.fromEntries(await Promise.all(read));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const requirement = (value: string | Readonly<Record<string, unknown>>): string =>
  typeof value === "string" ? value : String(value.req);

/** The path of a crate in the index format. */
function indexPath(name: string): string {
  if (name.length < 3) return `${name.length}/${name}`;
  return name.length === 3
    ? `3/${name[0]}/${name}`
    : `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}
