/** Which versions the lock files of Python projects say are in use. */
import { parse } from "smol-toml";
import type { RepositoryPath, Sources } from "../contract.js";
import { within } from "../paths.js";
import { normalised } from "./written.js";

export interface PipLock {
  readonly file: RepositoryPath;
  /** Version by normalised name. */
  readonly versions: ReadonlyMap<string, string>;
}

type Reader = (text: string) => readonly (readonly [name: string, version: unknown])[];

const tomlPackages: Reader = (text) => {
  const { package: packages = [] } = parse(text) as {
    package?: readonly { name?: unknown; version?: unknown; source?: Record<string, unknown> }[];
  };
  return packages
    .filter(({ source = {} }) => !("virtual" in source || "editable" in source))
    .map(({ name, version }) => [String(name), version] as const);
};

const pipfileLock: Reader = (text) => {
  const { develop = {}, ...others } = JSON.parse(text) as Record<string, unknown>;
  const { _meta, ...sections } = others;
  // What is for development comes first: of two versions the other one counts.
  return [develop, ...Object.values(sections).reverse()].flatMap((section) =>
    Object.entries((section ?? {}) as Record<string, { version?: unknown } | null>).map(
      ([name, entry]) =>
        [
          name,
          typeof entry?.version === "string" ? entry.version.replace(/^==/, "") : undefined,
        ] as const,
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
export function readLocks({ directory, files }: Sources): {
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
      const versions = read(text.replace(/^\uFEFF/, "")).flatMap(([each, version]) =>
        typeof version === "string" ? [[normalised(each), version] as const] : [],
      );
      locks.push({ file, versions: new Map(versions) });
    } catch (error) {
      const why = (error as Error).message.split("\n")[0]?.replace(/\.$/, "");
      broken.push({ file, why: `${file} cannot be read: ${why}.` });
    }
  }
  return { locks, broken };
}
