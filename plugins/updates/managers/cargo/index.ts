/** The sparse index of a registry: one line of JSON for each version of a crate. */
import semver from "semver";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { Available, Dependency, Release, SourceRepository } from "../contract.js";
import { repositoryAddress } from "../source.js";

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

/** `se/rd/serde`; short names have their own folders. */
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
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No registry is known for ${name}.`);
  const releases = await lookup.fetch<readonly Release[]>({
    url: `${origin.url}/${indexPath(name)}`,
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

/** What a version of a crate depends on outside of its own tests. */
export interface Crate {
  readonly checksum: string;
  readonly dependencies: readonly CrateDependency[];
  /** Feature → what it turns on. */
  readonly features: Readonly<Record<string, readonly string[]>>;
}
export interface CrateDependency {
  /** What the crate calls it. */
  readonly key: string;
  readonly name: string;
  readonly requirement: string;
  readonly optional: boolean;
  /** Features asked for, `default` included. */
  readonly features: readonly string[];
  /** The index it comes from; undefined: the same. */
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

/** The repository that the registry's own pages name; undefined where it has no such pages. */
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
      const { api } = JSON.parse(new TextDecoder().decode(body)) as { api?: unknown };
      return typeof api === "string" ? api.replace(/\/+$/, "") : "";
    },
  });
  if (api === "") return undefined;
  const url = await lookup.fetch<string>({
    url: `${api}/api/v1/crates/${name}`,
    purpose: "repository",
    digest: ({ body }) => {
      const { crate } = JSON.parse(new TextDecoder().decode(body)) as {
        crate?: { repository?: unknown };
      };
      const written = crate?.repository;
      return (typeof written === "string" ? repositoryAddress(written) : undefined) ?? "";
    },
  });
  return url === "" ? undefined : { url };
}
