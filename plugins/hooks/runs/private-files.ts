/**
 * Where the files of commands are that run as somebody else: nobody but the daemon can put a directory there or take one away, so that
 * what a daemon that was killed has left can be removed by the next.
 */
import { createHash } from "node:crypto";
import { rmdirSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory for directories, for all commands of this daemon; `state` tells daemons apart. Nothing where somebody else has its name. */
export async function privateFilesDirectory(state: string): Promise<string | undefined> {
  const room = roomOf(state);
  try {
    await mkdir(room, { mode: 0o711 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
  if (!(await isOurs(room))) return undefined;
  // Whatever the daemon's umask is: whoever a command runs as has to get through.
  await chmod(room, 0o711);
  return room;
}

/** How the name of a directory begins that is this process's: a number alone would be given to another process later. */
export const ownPrefix = async (): Promise<string> =>
  `${process.pid}-${await beginningOf(process.pid)}-`;

/** Removes what processes have left there that are no more. What cannot be removed stays. */
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

/** Takes the room away, if nothing is in it. */
export function leaveFilesRoom(state: string): void {
  try {
    rmdirSync(roomOf(state));
  } catch {
    // Somebody uses it, or nobody ever did.
  }
}

const roomOf = (state: string): string =>
  join(tmpdir(), `reeve-${createHash("sha256").update(state).digest("hex").slice(0, 16)}`);

/** Not where it is a link, or anybody else could change what is in it. */
async function isOurs(room: string): Promise<boolean> {
  const found = await lstat(room).catch(() => undefined);
  return (
    found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
  );
}

/** Only its own files: whoever the command ran as may have put anything below it, also while we look. */
async function removeFlat(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await unlink(join(directory, name));
  await rmdir(directory);
}

/** When a process began, in ticks since the boot; empty where there is none, or that is not told. */
async function beginningOf(process: number): Promise<string> {
  const stat = await readFile(`/proc/${process}/stat`, "latin1").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
