/** Whether git is changing a work tree right now, so that what is on disk is half of two states. */
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type FileSystem, remoteFileSystem } from "./file-system.js";

/** A lock that is older was left behind by a git that died. Milliseconds. */
const FORGOTTEN = 60_000;

const operations: ReadonlyArray<readonly [name: string, what: string]> = [
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
];

/** What git is in the middle of in the repository around `directory`: `a rebase`; nothing when it rests. */
export async function gitActivity(
  directory: string,
  now: number,
  disk: FileSystem = remoteFileSystem,
): Promise<string | undefined> {
  const git = await gitDirectory(directory, disk);
  if (git === undefined) return undefined;
  const lock = await disk.stat(join(git, "index.lock"));
  if (lock && now - lock.mtimeMs < FORGOTTEN) return "a change of the work tree";
  for (const [name, what] of operations) {
    if (await disk.stat(join(git, name))) return what;
  }
  return undefined;
}

/** The repository's own directory: `.git`, or where the file `.git` of a linked work tree points. */
async function gitDirectory(directory: string, disk: FileSystem): Promise<string | undefined> {
  const candidate = join(directory, ".git");
  const stats = await disk.stat(candidate);
  if (stats?.isDirectory()) return candidate;
  if (stats?.isFile()) {
    const [, target] = /^gitdir: (.+)$/m.exec(await readFile(candidate, "utf8")) ?? [];
    return target === undefined ? undefined : resolve(directory, target);
  }
  const parent = dirname(directory);
  return parent === directory ? undefined : gitDirectory(parent, disk);
}
