/** One file, read whole, with what tells later that it is still the same without reading it again. */
import { hash } from "node:crypto";
import { type BigIntStats, constants, readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { WatchedFile } from "../../plugin-api/world.js";

export interface Reading {
  readonly file: WatchedFile;
  /** Of the file when it was read; empty where that says nothing about a later time. */
  readonly stamp: string;
}

/** What is put in the place of a file by mischance, such as a pipe, must not be waited for. */
const FLAG = constants.O_RDONLY | constants.O_NONBLOCK;

/** Blocks: for file systems of this machine, where that takes a few microseconds. */
export function readNow(path: string, maxBytes: number): Reading {
  try {
    const stats = statSync(path, { bigint: true });
    return (
      refused(path, stats, maxBytes) ?? reading(path, readFileSync(path, { flag: FLAG }), stats)
    );
  } catch (thrown) {
    return unreadable(path, thrown);
  }
}

/** For file systems that may let one wait. */
export async function readPatiently(path: string, maxBytes: number): Promise<Reading> {
  try {
    const stats = await stat(path, { bigint: true });
    return (
      refused(path, stats, maxBytes) ?? reading(path, await readFile(path, { flag: FLAG }), stats)
    );
  } catch (thrown) {
    return unreadable(path, thrown);
  }
}

/** What is there now, to be compared with the stamp of a reading. */
export function stampNow(path: string): string {
  try {
    return stampOf(statSync(path, { bigint: true }));
  } catch {
    return "";
  }
}

/** As `stampNow`, for file systems that may let one wait. */
export async function stampPatiently(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats ? stampOf(stats) : "";
}

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** Milliseconds in which a file may change twice and have the same times: clocks of file systems are coarse. */
const COARSE = 100;

function reading(path: string, content: Uint8Array, stats: BigIntStats): Reading {
  const stamp = Date.now() - Number(stats.ctimeMs) > COARSE ? stampOf(stats) : "";
  return { file: { path, hash: hash("sha256", content), content }, stamp };
}

function refused(path: string, stats: BigIntStats, maxBytes: number): Reading | undefined {
  if (stats.isDirectory()) return without(path, "is a directory");
  if (!stats.isFile()) return without(path, "is not a regular file");
  return stats.size > maxBytes ? without(path, `larger than ${sizeText(maxBytes)}`) : undefined;
}

function unreadable(path: string, thrown: unknown): Reading {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return without(path, reasons[code ?? ""] ?? message);
}

const without = (path: string, error: string): Reading => ({
  file: { path, hash: "", content: new Uint8Array(), error },
  stamp: "",
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
