/** Looks at the file system: at once where that takes microseconds, waiting where it may take long or for ever. */
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { NetworkMounts } from "./mounts.js";

type Soon<Value> = Value | Promise<Value>;

/** What cannot be looked at is not there. */
export interface FileSystem {
  /** Whether it answers at once. */
  readonly isNear: boolean;
  stat(path: string): Soon<Stats | undefined>;
  lstat(path: string): Soon<Stats | undefined>;
  readlink(path: string): Soon<string | undefined>;
  list(directory: string): Soon<readonly Dirent[]>;
}

const none = (): undefined => undefined;

export const remoteFileSystem: FileSystem = {
  isNear: false,
  stat: (path) => stat(path).catch(none),
  lstat: (path) => lstat(path).catch(none),
  readlink: (path) => readlink(path).catch(none),
  list: (directory) => readdir(directory, { withFileTypes: true }).catch(() => []),
};

/** Blocks. */
export const localFileSystem: FileSystem = {
  isNear: true,
  stat: (path) => quietly(() => statSync(path, { throwIfNoEntry: false })),
  lstat: (path) => quietly(() => lstatSync(path, { throwIfNoEntry: false })),
  readlink: (path) => quietly(() => readlinkSync(path)),
  list: (directory) => quietly(() => readdirSync(directory, { withFileTypes: true })) ?? [],
};

function quietly<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/**
 * The disk of a path and of everything below it that no symbolic link leads out of. What is missing is on the disk of
 * the nearest directory that is there.
 */
export async function fileSystemOf(
  path: string,
  distant: Promise<NetworkMounts>,
): Promise<FileSystem> {
  const [real, mounts] = await Promise.all([realPathOf(path), distant]);
  if (real === undefined || mounts === undefined) return remoteFileSystem;
  const isDistant = mounts.some((mount) => isWithin(real, mount) || isWithin(mount, real));
  return isDistant ? remoteFileSystem : localFileSystem;
}

const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);

async function realPathOf(path: string): Promise<string | undefined> {
  for (let here = path; ; here = dirname(here)) {
    const real = await realpath(here).catch(none);
    if (real !== undefined || here === dirname(here)) return real;
  }
}
