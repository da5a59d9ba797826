/** One file, read whole, with what tells later that it is still the same without reading it again. */
import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { WatchedFile } from "../plugin-api/files.js";
import { isCoarse, type StatFingerprint, stampOf } from "./stat-fingerprint.js";

export interface FileRead {
  readonly file: WatchedFile;
  /** Of the file when it was read; none of one that is not there. */
  readonly stamp: StatFingerprint | undefined;
  /** Whether the file is the same as long as its stamp is. */
  readonly isSure: boolean;
}

/** What is put in the place of a file by mischance, such as a pipe, must not be waited for. */
const FLAG = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Blocks: for file systems of this machine, where that takes a few microseconds. What is known to be a regular file is
 * opened at once; anything else might notice.
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

/** For file systems that may let one wait. */
export async function readAsync(path: string, maxBytes: number): Promise<FileRead> {
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

/** The whole content of a file that was `size` bytes long a moment ago, in as few calls as that takes. */
function contentNow(descriptor: number, size: number): Uint8Array {
  let content = Buffer.allocUnsafe(size + 1);
  for (let length = 0; ; ) {
    const more = readSync(descriptor, content, length, content.length - length, null);
    length += more;
    if (more === 0 || length === size) return content.subarray(0, length);
    if (length < content.length) continue;
    // It grows while it is read.
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
