/** What a file says of itself without being read: as long as that is the same, so is its content. */
import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";

export interface StatFingerprint {
  readonly device: number;
  readonly inode: number;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, with what there is below them. */
  readonly modified: number;
  readonly changed: number;
}

export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): StatFingerprint => ({
  device: dev,
  inode: ino,
  size,
  modified: mtimeMs,
  changed: ctimeMs,
});

/** Nothing is the same as nothing: a file that is not there still is not there. */
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

/** Milliseconds in which a file may change twice and have the same times: clocks of file systems are coarse. */
const COARSE = 100;

/** Whether a file with this stamp, read now, may be written again without getting another one. */
export const isCoarse = ({ changed }: StatFingerprint): boolean => Date.now() - changed <= COARSE;

/** What is there now. Blocks: for file systems of this machine, where that takes a few microseconds. */
export function stampNow(path: string): StatFingerprint | undefined {
  try {
    return stampOf(statSync(path));
  } catch {
    return undefined;
  }
}

/** As `stampNow`, for file systems that may let one wait. */
export async function stampPatiently(path: string): Promise<StatFingerprint | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && stampOf(stats);
}
