/** Reads whole files, with a stat fingerprint that detects changes without reading. */
import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { type FileSet, type WatchedFile } from "../plugin-api/files.js";
import { forEachFile } from "./file-system.js";

export interface FileRead {
  readonly file: WatchedFile;
  /** The fingerprint when the file was read; absent if it does not exist. */
  readonly stamp: StatFingerprint | undefined;
  /** Whether an equal fingerprint proves equal content. */
  readonly isSure: boolean;
}

/** Do not block on pipes and other special files. */
const FLAG = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Blocks: for local file systems only. A known regular file is opened at once; opening other files may have side
 * effects.
 */
export function readBlocking(path: string, maxBytes: number, isFile = false): FileRead {
  let stats: Stats | undefined;
  let descriptor: number | undefined;
  try {
    if (!isFile) {
      stats = statSync(path);
      const reason = refused(path, stats, maxBytes);
      if (reason) return reason;
    }
    descriptor = openSync(path, FLAG);
    stats = fstatSync(descriptor);
    return (
      refused(path, stats, maxBytes) ?? reading(path, contentNow(descriptor, stats.size), stats)
    );
  } catch (thrown) {
    return unreadable(path, thrown, stats ?? statsNow(path));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function statsNow(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** For file systems that may respond late. */
async function readAsync(path: string, maxBytes: number): Promise<FileRead> {
  let stats: Stats | undefined;
  try {
    stats = await stat(path);
    return (
      refused(path, stats, maxBytes) ?? reading(path, await readFile(path, { flag: FLAG }), stats)
    );
  } catch (thrown) {
    return unreadable(path, thrown, stats);
  }
}

/** Reads a whole file of about `size` bytes in as few calls as possible. */
function contentNow(descriptor: number, size: number): Uint8Array {
  let content = Buffer.allocUnsafe(size + 1);
  for (let length = 0; ; ) {
    const more = readSync(descriptor, content, length, content.length - length, null);
    length += more;
    if (more === 0 || length === size) return content.subarray(0, length);
    if (length < content.length) continue;
    // The file grew meanwhile.
    const larger = Buffer.allocUnsafe(2 * content.length);
    content.copy(larger);
    content = larger;
  }
}

function reading(path: string, content: Uint8Array, stats: Stats): FileRead {
  const stamp = stampOf(stats);
  return {
    file: { path, hash: hash("sha256", content), content },
    stamp,
    isSure: !isCoarse(stamp),
  };
}

function refused(path: string, stats: Stats, maxBytes: number): FileRead | undefined {
  if (stats.isDirectory()) return without(path, "is a directory", stats);
  if (!stats.isFile()) return without(path, "is not a regular file", stats);
  return stats.size > maxBytes
    ? without(path, `larger than ${sizeText(maxBytes)}`, stats)
    : undefined;
}

function unreadable(path: string, thrown: unknown, stats: Stats | undefined): FileRead {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return without(path, reasons[code ?? ""] ?? message, stats);
}

const NOTHING = new Uint8Array();

const without = (path: string, error: string, stats?: Stats): FileRead => ({
  file: { path, hash: "", content: NOTHING, error },
  stamp: stats && stampOf(stats),
  isSure: false,
});

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "not found",
  ENOTDIR: "not found",
  EISDIR: "is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links go in a circle",
};

function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && value % 1024 === 0 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value} ${units[unit]}`;
}

export interface ReadLimits {
  /** Of one file. */
  readonly maxBytes: number;
  /** Whether contents are kept. @default true */
  readonly contents?: boolean | undefined;
}

/** A file to read, and its last read. */
export interface ReadRequest {
  readonly path: string;
  readonly directory: string;
  /** Whether it was just seen as a regular file. */
  readonly isFile: boolean;
  readonly before?: FileRead | undefined;
}

/**
 * Reads files, in the given order. Unchanged files are not read again. `near` are directories on local file systems;
 */
export async function readAll(
  files: readonly ReadRequest[],
  near: ReadonlySet<string>,
  { maxBytes, contents: keeps = true }: ReadLimits,
): Promise<readonly FileRead[]> {
  const readings = new Array<FileRead>(files.length);
  const contents = new Map<string, FileRead["file"]>();
  const kept = (reading: FileRead): FileRead =>
    keeps ? shared(reading, contents) : withoutContent(reading);
  await forEachFile(files, near, {
    once: ({ path, isFile, before }, index) => {
      const isSame = before?.isSure && sameStamp(before.stamp, stampNow(path));
      readings[index] = isSame ? before : kept(readBlocking(path, maxBytes, isFile));
    },
    leisure: async ({ path }, index) => {
      readings[index] = kept(await readAsync(path, maxBytes));
    },
  });
  return readings;
}

function withoutContent(reading: FileRead): FileRead {
  const { file, stamp } = reading;
  if (stamp === undefined) return reading;
  const { path, hash: digest, error } = file;
  const { size, inode, modified, changed } = stamp;
  if (error === undefined)
    return { ...reading, file: { path, hash: digest, content: NOTHING, size } };
  if (!error.startsWith("larger")) return reading;
  const identity = [inode, size, modified, changed].join(":");
  return { ...reading, file: { path, hash: identity, content: NOTHING, size } };
}

/** Shares the content of equal files. */
function shared(reading: FileRead, contents: Map<string, FileRead["file"]>): FileRead {
  const { file } = reading;
  const other = contents.get(file.hash);
  if (!other) contents.set(file.hash, file);
  if (!other || other.content === file.content || file.error !== undefined) return reading;
  return { ...reading, file: { path: file.path, hash: other.hash, content: other.content } };
}

export const hashOf = (content: string | Uint8Array): string => hash("sha256", content);

/** A digest of the set: paths and contents. */
export const fileSetDigest = ({ files }: FileSet): string =>
  hashOf(files.map(({ path, hash: of, error }) => `${path}\0${of}\0${error ?? ""}`).join("\n"));

/** Whether two sets have the same files with the same contents. */
export function sameSet({ files: some }: FileSet, { files: others }: FileSet): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (const [index, file] of some.entries()) {
    const other = others[index];
    if (file === other) continue;
    if (file.path !== other?.path || file.hash !== other.hash || file.error !== other.error) {
      return false;
    }
  }
  return true;
}

export interface StatFingerprint {
  readonly device: number;
  readonly inode: number;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, with what there is below them. */
  readonly modified: number;
  readonly changed: number;
}

const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): StatFingerprint => ({
  device: dev,
  inode: ino,
  size,
  modified: mtimeMs,
  changed: ctimeMs,
});

/** Two missing files are equal. */
export const sameStamp = (
  one: StatFingerprint | undefined,
  other: StatFingerprint | undefined,
): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.changed === other.changed &&
    one.modified === other.modified &&
    one.size === other.size &&
    one.inode === other.inode &&
    one.device === other.device);

/** Resolution of file times in milliseconds: a file may change twice within it. */
const COARSE = 100;

/** Whether the file may change again without a new fingerprint. */
export const isCoarse = ({ changed }: StatFingerprint): boolean => Date.now() - changed <= COARSE;

/** The current fingerprint. Blocks: for local file systems only. */
export function stampNow(path: string): StatFingerprint | undefined {
  try {
    return stampOf(statSync(path));
  } catch {
    return undefined;
  }
}

/** As `stampNow`, for file systems that may respond late. */
export async function stampPatiently(path: string): Promise<StatFingerprint | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && stampOf(stats);
}
