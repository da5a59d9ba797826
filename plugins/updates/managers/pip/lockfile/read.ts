/** Reads the locked versions of Python lock files. */
import { parse } from "smol-toml";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { within } from "../../paths.js";
import { normalizedName } from "../manifest/written-requirement.js";

export interface PipLock {
  readonly file: RepositoryPath;
  /** Versions by normalized name. */
  readonly versions: ReadonlyMap<string, string>;
  /** The address of its index by normalised name, where the lock file says; undefined for what comes from no index. */
  readonly indexes: ReadonlyMap<string, string | undefined>;
}

interface Entry {
  readonly name: string;
  readonly version: unknown;
  /** As `PipLock.indexes`; undefined if the lock file has none. */
  readonly index?: string | undefined;
}

type Reader = (text: string) => readonly Entry[];

interface TomlPackage {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly source?: Readonly<Record<string, unknown>>;
  /** PDM's sources. */
  readonly path?: unknown;
  readonly git?: unknown;
  readonly url?: unknown;
}

const tomlPackages: Reader = (text) => {
  const { package: packages = [] } = parse(text) as { package?: readonly TomlPackage[] };
  return packages
    .filter(({ source = {} }) => !("virtual" in source || "editable" in source))
    .map((each) => ({ name: String(each.name), version: each.version, ...indexOf(each) }));
};

function indexOf({ source = {}, path, git, url }: TomlPackage): Pick<Entry, "index"> {
  if (typeof source.registry === "string") return { index: source.registry };
  if (source.type === "legacy") return { index: String(source.url) };
  return Object.keys(source).length > 0 || (path ?? git ?? url) ? { index: undefined } : {};
}

const pipfileLock: Reader = (text) => {
  const { develop = {}, ...others } = JSON.parse(text) as Record<string, unknown>;
  const { _meta, ...sections } = others;
  // Development packages come first: production overrides them.
  return [develop, ...Object.values(sections).reverse()].flatMap((section) =>
    Object.entries((section ?? {}) as Record<string, { version?: unknown } | null>).map(
      ([name, entry]) => ({
        name,
        version: typeof entry?.version === "string" ? entry.version.replace(/^==/, "") : undefined,
      }),
    ),
  );
};

const READERS: ReadonlyArray<readonly [name: string, read: Reader]> = [
  ["Pipfile.lock", pipfileLock],
  ["poetry.lock", tomlPackages],
  ["uv.lock", tomlPackages],
  ["pdm.lock", tomlPackages],
];

/** The locks that could be read, and complaints about the others. */
export function readPythonLocks({ directory, files }: ProjectSources): {
  readonly locks: readonly PipLock[];
  readonly broken: readonly { readonly file: RepositoryPath; readonly why: string }[];
} {
  const locks: PipLock[] = [];
  const broken: { file: string; why: string }[] = [];
  for (const [name, read] of READERS) {
    const file = within(directory, name);
    const text = files.get(file);
    if (text === undefined) continue;
    try {
      const versions = new Map<string, string>();
      const indexes = new Map<string, string | undefined>();
      for (const entry of read(text.replace(/^\uFEFF/, ""))) {
        if (typeof entry.version !== "string") continue;
        const key = normalizedName(entry.name);
        versions.set(key, entry.version);
        if ("index" in entry) indexes.set(key, entry.index);
      }
      locks.push({ file, versions, indexes });
    } catch (error) {
      const why = (error as Error).message.split("\n")[0]?.replace(/\.$/, "");
      broken.push({ file, why: `${file} cannot be read: ${why}.` });
    }
  }
  return { locks, broken };
}
