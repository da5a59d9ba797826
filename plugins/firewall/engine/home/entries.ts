/** What the committing of changes does to single entries. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readlinkSync,
  renameSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../errors.js";
import { entriesOf } from "../entries.js";
import { helper, helperPath } from "../helpers.js";
import { removeTree } from "../paths.js";

/** How overlayfs marks that the command removed what the layer below has. */
export const isRemoval = (found: Stats): boolean => found.isCharacterDevice() && found.rdev === 0;
export const isFilled = (directory: string): boolean => entriesOf(directory).length > 0;

/** A command can make directories that even their owner cannot read. */
export function openUp(directory: string, { mode }: Stats): void {
  if ((mode & 0o700) !== 0o700) chmodSync(directory, 0o700);
}

export function flush(path: string): void {
  try {
    const descriptor = openSync(path, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (thrown) {
    if (systemCode(thrown) !== "EACCES") throw thrown;
  }
}

/** Whether both have the same size, times and, for links, target. */
export function isSame(upper: string, found: Stats, host: string, now: Stats): boolean {
  if (found.isSymbolicLink())
    return now.isSymbolicLink() && readlinkSync(upper) === readlinkSync(host);
  return now.isFile() && found.size === now.size && found.mtimeMs === now.mtimeMs;
}

/** To another file system, with everything that files have. @throws Error with the reason of `cp` */
function copyTree(from: string, to: string): void {
  // Of a copy that was cut off.
  removeTree(to);
  const words = ["--archive", "--no-target-directory", "--", from, to];
  const options = { env: { PATH: helperPath, LC_ALL: "C" }, encoding: "utf8" } as const;
  const { status, stderr, error } = spawnSync(helper("cp"), words, options);
  if (status === 0) return;
  removeTree(to);
  throw error ?? new Error(stderr.trim().split(": ").at(-1));
}

/** By renaming; from another file system by a copy beside the target that then replaces it. */
export function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (systemCode(thrown) !== "EXDEV") throw thrown;
    const beside = join(dirname(to), `.${basename(to)}.sandbox-part`);
    copyTree(from, beside);
    renameSync(beside, to);
    removeTree(from);
  }
}
