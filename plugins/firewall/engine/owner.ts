/** The owner of files that root makes for another user. */
import { chmodSync, lchownSync, lstatSync, type Stats, utimesSync } from "node:fs";
import { systemCode } from "../errors.js";

/**
 * Gives a file that root made to the owner of another file. Root keeps it where the user namespace does not map that
 * owner, as in a rootless container (EINVAL, user_namespaces(7)), and without CAP_CHOWN (EPERM).
 */
export function giveToOwnerOf({ uid, gid }: Pick<Stats, "uid" | "gid">, path: string): void {
  if (process.getuid?.() !== 0) return;
  try {
    lchownSync(path, uid, gid);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code !== "EINVAL" && code !== "EPERM") throw thrown;
  }
}

/** Gives a directory the owner, mode and times of another. */
export function copyAttributes(from: string, to: string): void {
  const found = lstatSync(from);
  giveToOwnerOf(found, to);
  chmodSync(to, found.mode & 0o777);
  utimesSync(to, found.atime, found.mtime);
}
