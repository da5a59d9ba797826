/** Which versions a lock file says are in use, whichever program wrote it. */
import type { ProjectSources, RepositoryPath } from "../contract.js";
import { within } from "../paths.js";
import { packageLockVersions } from "./package-lock.js";
import { pnpmLockVersions } from "./pnpm-lock.js";
import { yarnLockVersions } from "./yarn-lock.js";

export interface LockedVersions {
  /** The version a member (`` or `packages/a`) gets for a dependency; undefined where the lock does not say. */
  version(member: string, declared: string, name: string, requirement: string): string | undefined;
  /** All packages from registries in it, once for each version. */
  readonly all: readonly {
    readonly name: string;
    readonly version: string;
    readonly development: boolean;
  }[];
}

export interface NpmLock extends LockedVersions {
  readonly file: RepositoryPath;
}

/** Which program's file counts where there are several: the shrinkwrap wins over package-lock.json, as for npm. */
const readers: ReadonlyArray<readonly [name: string, read: (text: string) => LockedVersions]> = [
  ["npm-shrinkwrap.json", packageLockVersions],
  ["package-lock.json", packageLockVersions],
  ["pnpm-lock.yaml", pnpmLockVersions],
  ["yarn.lock", yarnLockVersions],
];

export const lockNames: readonly string[] = readers.map(([name]) => name);

/** The locks that could be read, and complaints about the others. */
export function readNpmLocks({ directory, files }: ProjectSources): {
  readonly locks: readonly NpmLock[];
  readonly broken: readonly { readonly file: string; readonly why: string }[];
} {
  const locks: NpmLock[] = [];
  const broken: { file: string; why: string }[] = [];
  for (const [name, read] of readers) {
    const file = within(directory, name);
    const text = files.get(file);
    if (text === undefined) continue;
    try {
      locks.push({ file, ...read(text) });
    } catch (error) {
      broken.push({
        file,
        why: `${file} cannot be read: ${(error as Error).message.split("\n")[0]}.`,
      });
    }
  }
  return { locks, broken };
}
