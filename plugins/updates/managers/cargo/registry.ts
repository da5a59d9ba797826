/** The sparse index of a registry: one line of JSON for each version of a crate. */

import semver from "semver";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import { readToml, type TomlNode, tomlMembers, tomlText } from "../../text/toml.js";
import type {
  Available,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ProjectSources,
  Release,
  SourceRepository,
} from "../contract.js";
import { registryUrl } from "../origin.js";
import { repositoryAddress } from "../source.js";
import type { CargoDependency } from "./manifest/cargo-toml.js";
import { configsOf } from "./manifest/workspace.js";

interface Line {
  readonly name: string;
  readonly vers: string;
  readonly cksum: string;
  readonly yanked?: boolean;
  readonly rust_version?: string | null;
  readonly pubtime?: string;
  readonly deps: readonly {
    readonly name: string;
    readonly package?: string | null;
    readonly req: string;
    readonly features?: readonly string[];
    readonly optional?: boolean;
    readonly default_features?: boolean;
    readonly kind?: string | null;
    readonly registry?: string | null;
  }[];
  readonly features?: Readonly<Record<string, readonly string[]>>;
  readonly features2?: Readonly<Record<string, readonly string[]>>;
}

/** The path of a crate in the index: `se/rd/serde`; short names have their own folders. */
export function indexPath(name: string): string {
  const lower = name.toLowerCase();
  if (lower.length <= 2) return `${lower.length}/${lower}`;
  if (lower.length === 3) return `3/${lower.slice(0, 1)}/${lower}`;
  return `${lower.slice(0, 2)}/${lower.slice(2, 4)}/${lower}`;
}

const lines = (body: Uint8Array): readonly Line[] =>
  new TextDecoder()
    .decode(body)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line)
    .filter(({ vers }) => semver.valid(vers) !== null);

export async function cargoAvailable(
  { name, origin }: Dependency,
  lookup: Lookup,
): Promise<Available> {
  const registry = registryUrl({ name, origin });
  const releases = await lookup.fetch<readonly Release[]>({
    url: `${registry}/${indexPath(name)}`,
    purpose: "versions",
    digest: ({ body }) => lines(body).map(releaseOf),
  });
  return { releases };
}

function releaseOf({ vers, yanked, rust_version, pubtime }: Line): Release {
  const published = pubtime === undefined ? Number.NaN : Date.parse(pubtime);
  return {
    version: vers,
    ...(Number.isNaN(published) ? {} : { published }),
    ...(yanked === true ? { withdrawn: "yanked" } : {}),
    ...(rust_version ? { runtime: { rust: rust_version } } : {}),
  };
}

/** A dependency of a crate, without those of its tests. */
export interface Crate {
  readonly checksum: string;
  readonly dependencies: readonly CrateDependency[];
  /** Feature → what it enables. */
  readonly features: Readonly<Record<string, readonly string[]>>;
}
export interface CrateDependency {
  /** The crate's own name for it. */
  readonly key: string;
  readonly name: string;
  readonly requirement: string;
  readonly optional: boolean;
  /** Requested features, including `default`. */
  readonly features: readonly string[];
  /** Its index; undefined means the same index. */
  readonly registry: string | undefined;
}

/** @throws UpdatesError `does_not_resolve` where the index does not have the version; as `Lookup` */
export function crateOf(
  url: string,
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Crate> {
  return lookup.fetch<Crate>({
    url: `${url}/${indexPath(name)}`,
    purpose: `crate ${version}`,
    digest: ({ body }) => {
      const line = lines(body).find(({ vers }) => vers === version);
      if (line) return crate(line);
      throw new UpdatesError("does_not_resolve", `${name} ${version} is not in the index.`);
    },
  });
}

const crate = ({ cksum, deps, features = {}, features2 = {} }: Line): Crate => ({
  checksum: cksum,
  dependencies: deps
    .filter(({ kind }) => kind !== "dev")
    .map((each) => ({
      key: each.name,
      name: each.package ?? each.name,
      requirement: each.req,
      optional: each.optional === true,
      features: [
        ...(each.features ?? []),
        ...(each.default_features === false ? [] : ["default"]),
      ].sort(),
      registry: each.registry ?? undefined,
    })),
  features: { ...features, ...features2 },
});

/** The repository on the registry's page; undefined where the registry has no pages. */
export async function cargoSource(
  { name, origin }: Dependency,
  _release: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> {
  if (origin.kind !== "registry") return undefined;
  const api = await lookup.fetch<string>({
    url: `${origin.url}/config.json`,
    purpose: "pages of the registry",
    digest: ({ body }) => {
      const { api } = decodeJsonBody(body) as { api?: unknown };
      return typeof api === "string" ? api.replace(/\/+$/, "") : "";
    },
  });
  if (api === "") return undefined;
  const url = await lookup.fetch<string>({
    url: `${api}/api/v1/crates/${name}`,
    purpose: "repository",
    digest: ({ body }) => {
      const { crate } = decodeJsonBody(body) as {
        crate?: { repository?: unknown };
      };
      const written = crate?.repository;
      return (typeof written === "string" ? repositoryAddress(written) : undefined) ?? "";
    },
  });
  return url === "" ? undefined : { url };
}

export const PUBLIC_INDEX = "https://index.crates.io";

/** The name of crates.io in lock files, for both protocols. */
const PUBLIC_SOURCES = new Set([
  "registry+https://github.com/rust-lang/crates.io-index",
  "sparse+https://index.crates.io/",
]);

export interface Registries {
  originOf(dependency: Pick<CargoDependency, "name" | "registry" | "index">): DependencyOrigin;
  /** The registry of a `source` in a lock file; undefined where it has none. */
  ofSource(source: string): string | undefined;
  /** The directory that replaces crates.io. */
  readonly vendored: string | undefined;
  /** Indexes by registry name, as the repository configures them. */
  readonly named: ReadonlyMap<string, string>;
}

/** The instance's registry for the name, else its default, else the one in `.cargo/config.toml`. */
export function cargoRegistries(
  sources: ProjectSources,
  { registries }: ManagerSettings,
): Registries {
  const own = registries.filter(({ manager }) => manager === "cargo");
  const configs = configsOf(sources).flatMap(([file, text]) => readable(file, text) ?? []);
  const named = new Map<string, string>();
  for (const config of configs.toReversed())
    for (const [name, node] of tomlMembers(config, "registries")) {
      const index = tomlText(node, "index");
      if (index !== undefined) named.set(name, index);
    }
  const instead = insteadOfPublic(configs, named);
  const usual = (
    own.find(({ scope }) => scope === undefined)?.url ??
    address(instead.registry ?? "") ??
    PUBLIC_INDEX
  ).replace(/\/+$/, "");
  const said = new Map(named);
  for (const { scope, url } of own)
    if (scope !== undefined) said.set(scope, `sparse+${url.replace(/\/+$/, "")}/`);
  return {
    vendored: instead.directory,
    named: new Map([...said, ...named]),
    originOf: ({ name, registry, index }) => {
      const location = registry === undefined ? index : said.get(registry);
      if (registry === undefined && index === undefined) return { kind: "registry", url: usual };
      const url = location === undefined ? undefined : address(location);
      if (url !== undefined) return { kind: "registry", url };
      const where = registry === undefined ? `the index ${index}` : `the registry ${registry}`;
      return {
        kind: "none",
        why: `${name} comes from ${where}, which has no sparse index that is known here.`,
      };
    },
    ofSource: (source) => {
      if (PUBLIC_SOURCES.has(source)) return usual;
      const name = [...named].find(
        ([, index]) => index === source || `registry+${index}` === source,
      )?.[0];
      return address((name === undefined ? undefined : said.get(name)) ?? source);
    },
  };
}

function readable(file: string, text: string): TomlNode | undefined {
  try {
    return readToml(file, text);
  } catch {
    return undefined;
  }
}

const address = (index: string): string | undefined =>
  /^sparse\+https?:\/\//.test(index) && URL.canParse(index.slice("sparse+".length))
    ? index.slice("sparse+".length).replace(/\/+$/, "")
    : undefined;

/** `[source.crates-io] replace-with`, as far as it goes. */
function insteadOfPublic(
  configs: readonly TomlNode[],
  named: ReadonlyMap<string, string>,
): { readonly registry?: string; readonly directory?: string } {
  const said = (name: string, key: string): string | undefined =>
    configs.map((config) => tomlText(config, "source", name, key)).find((text) => text);
  const seen = new Set<string>();
  let name = "crates-io";
  for (let next = said(name, "replace-with"); next; next = said(name, "replace-with")) {
    if (seen.has(next)) return {};
    seen.add(next);
    name = next;
  }
  if (seen.size === 0) return {};
  const directory = said(name, "directory") ?? said(name, "local-registry");
  const registry = said(name, "registry") ?? named.get(name);
  return {
    ...(directory === undefined ? {} : { directory }),
    ...(registry === undefined ? {} : { registry }),
  };
}
