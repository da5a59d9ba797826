/** The run's directory for files that the sandbox mounts or reads at its start. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "awf-";
const ownerFile = "pid";

/** Creates the directory the user named and notes the process and its log directory. */
export function makeWorkDirectory(path: string, logDirectory = ""): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  try {
    noteOwner(path, logDirectory);
  } catch (thrown) {
    // A directory with an empty file would stay forever.
    rmSync(join(path, ownerFile), { force: true });
    if (readdirSync(path).length === 0) rmdirSync(path);
    throw thrown;
  }
  return path;
}

/**
 * Creates `/tmp/awf-<timestamp>`, unique even within one millisecond. The directory gets this name
 * with its owner's note in it; until then its name ends in the owner's process id, so a run killed
 * at any moment leaves a directory that the next run can remove.
 */
export function makeDefaultWorkDirectory(logDirectory = ""): string {
  const stamp = Date.now();
  const made = join(tmpdir(), `${prefix}${stamp}.${process.pid}`);
  mkdirSync(made, { mode: 0o700 });
  try {
    noteOwner(made, logDirectory);
    for (let next = stamp; ; next += 1) {
      const path = join(tmpdir(), `${prefix}${next}`);
      if (isRenamed(made, path)) return path;
    }
  } catch (thrown) {
    rmSync(made, { recursive: true, force: true });
    throw thrown;
  }
}

function noteOwner(path: string, logDirectory: string): void {
  writeFileSync(join(path, ownerFile), `${process.pid}\n${logDirectory}`, { mode: 0o600 });
}

/** False where the name is taken: no other run's directory is ever empty. */
function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(code ?? "")) return false;
    throw thrown;
  }
}

/** Removes the user's own directories of killed runs. Nothing in them is believed but the number of their process. */
export function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const match = /^awf-\d+(?:\.(?<maker>\d+))?$/.exec(name);
    if (match === null) continue;
    const path = join(tmpdir(), name);
    try {
      const found = lstatSync(path);
      if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o022) !== 0)
        continue;
      const owner =
        match.groups?.maker ?? readFileSync(join(path, ownerFile), "utf8").split("\n")[0];
      if (isRunning(Number(owner))) continue;
      rmSync(path, { recursive: true, force: true });
    } catch {
      // It has no owner yet, or is gone.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
