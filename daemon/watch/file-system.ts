/**
 * File system access: synchronous on local file systems, asynchronous on remote ones that may respond late or never.
 */
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { lstat, readdir, readFile, readlink, realpath, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";

type Soon<Value> = Value | Promise<Value>;

/** Inaccessible files count as missing. */
export interface FileSystem {
  /** Whether it is local. */
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
 * The file system of a path and of everything below it, links aside. A missing path uses its nearest existing
 * directory.
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

const DISTANT =
  /^(?:nfs4?|cifs|smb3?|smbfs|fuse(?:blk|ctl)?(?:\..*)?|9p|virtiofs|ceph|afs|lustre|gfs2?|ocfs2|beegfs|autofs)$/;

/** Mount points of remote file systems; `undefined` if the system does not list them. */
export type NetworkMounts = readonly string[] | undefined;

export async function networkMounts(): Promise<NetworkMounts> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => undefined);
  return table === undefined ? undefined : distantIn(table);
}

/** @see proc_pid_mountinfo(5) */
export const distantIn = (table: string): readonly string[] =>
  table.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , , at] = before.split(" ");
    const [type = ""] = after.split(" ");
    return at !== undefined && DISTANT.test(type) ? [unescaped(at)] : [];
  });

/** Decodes octal escapes. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

/** Remote file systems by their `statfs(2)` type: they may respond late or never. */
const distant = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xfe534d42, // SMB 2
  0xff534d42, // CIFS
  0x65735546, // FUSE
  0x01021997, // 9p
  0x00c36400, // Ceph
  0x5346414f, // AFS
]);

interface LocatedFile {
  readonly directory: string;
}

/**
 * Processes each file: synchronously on local file systems, yielding now and then; otherwise asynchronously, several
 * at a time. `near` are directories known to be local.
 */
export async function forEachFile<File extends LocatedFile>(
  files: readonly File[],
  near: ReadonlySet<string>,
  at: {
    readonly once: (file: File, index: number) => void;
    readonly leisure: (file: File, index: number) => Promise<void>;
    /** Called every millisecond. @default lets everything else that waits have its turn */
    readonly yieldTurn?: (() => Promise<unknown>) | undefined;
  },
): Promise<void> {
  const local = await localOnes(files, near);
  const far: number[] = [];
  const pace = new TimeSlice(at.yieldTurn);
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index] as File;
    if (local.has(file.directory)) at.once(file, index);
    else far.push(index);
    if (pace.isOver) await pace.yieldToLoop();
  }
  await severalAtOnce(far, (index) => at.leisure(files[index] as File, index));
}

/** Directories on local file systems. */
async function localOnes(
  files: readonly LocatedFile[],
  near: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (const { directory } of files) if (!near.has(directory)) unknown.add(directory);
  if (unknown.size === 0) return near;
  const local = new Set(near);
  await severalAtOnce([...unknown], async (directory) => {
    if (await isLocal(directory)) local.add(directory);
  });
  return local;
}

/** Inaccessible directories count as remote. */
async function isLocal(directory: string): Promise<boolean> {
  const found = await statfs(directory).catch(() => undefined);
  return found !== undefined && !distant.has(found.type >>> 0);
}

const HANDS = 16;

async function severalAtOnce<Item>(
  items: readonly Item[],
  each: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const hand = async (): Promise<void> => {
    for (const item of queue) await each(item);
  };
  await Promise.all(Array.from({ length: Math.min(HANDS, items.length) }, hand));
}

/** Milliseconds of work before yielding. */
const SLICE = 1;

export class TimeSlice {
  readonly #yieldTurn: () => Promise<unknown>;
  #since = performance.now();

  constructor(yieldTurn: () => Promise<unknown> = setImmediate) {
    this.#yieldTurn = yieldTurn;
  }

  /** Whether it is time to yield. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE;
  }

  async yieldToLoop(): Promise<void> {
    await this.#yieldTurn();
    this.#since = performance.now();
  }

  /** Yields if the slice is over. */
  async step(): Promise<void> {
    if (this.isOver) await this.yieldToLoop();
  }
}
