/**
 * The directory for files of commands with `run_as`: only the daemon can add or remove entries, so
 * the next daemon can safely remove the files of a killed one.
 */
import { createHash } from "node:crypto";
import { rmdirSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The parent directory for all commands of this daemon, named after `state`; `undefined` if another user owns that path. */
export async function privateFilesDirectory(state: string): Promise<string | undefined> {
  const room = roomOf(state);
  try {
    await mkdir(room, { mode: 0o711 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
  if (!(await isOurs(room))) return undefined;
  // Regardless of umask: the command's user must be able to pass.
  await chmod(room, 0o711);
  return room;
}

/** Prefix of this process's directories, with its start time: process ids are reused. */
export const ownPrefix = async (): Promise<string> =>
  `${process.pid}-${await beginningOf(process.pid)}-`;

/** Removes the directories of processes that have ended, as far as possible. */
export async function removeStaleFiles(state: string): Promise<void> {
  const room = roomOf(state);
  if (!(await isOurs(room))) return;
  for (const entry of await readdir(room, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const { name } = entry;
    const [, process = "", began = ""] = /^(\d+)-(\d*)-/.exec(name) ?? [];
    if (began !== "" && (await beginningOf(Number(process))) === began) continue;
    await removeFlat(join(room, name)).catch(() => undefined);
  }
}

/** Removes the parent directory if it is empty. */
export function leaveFilesRoom(state: string): void {
  try {
    rmdirSync(roomOf(state));
  } catch {
    // In use, or never created.
  }
}

const roomOf = (state: string): string =>
  join(tmpdir(), `reeve-${createHash("sha256").update(state).digest("hex").slice(0, 16)}`);

/** Not a link, and not writable by other users. */
async function isOurs(room: string): Promise<boolean> {
  const found = await lstat(room).catch(() => undefined);
  return (
    found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
  );
}

/** Does not descend: the command's user may have placed anything below, even now. */
async function removeFlat(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await unlink(join(directory, name));
  await rmdir(directory);
}

/** Start time of a process in ticks since boot; empty if unknown. */
async function beginningOf(process: number): Promise<string> {
  const stat = await readFile(`/proc/${process}/stat`, "latin1").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
