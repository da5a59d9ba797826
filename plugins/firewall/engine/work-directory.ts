/** The run's directory for files that the sandbox mounts or reads at its start. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitAbandoned } from "./changes.js";

const prefix = "awf-";
const ownerFile = "pid";

/** Creates the directory, readable by its owner only, and notes the process and its log directory. */
export function makeWorkDirectory(path: string, logDirectory = ""): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const owner = join(path, ownerFile);
  try {
    writeFileSync(owner, `${process.pid}\n${logDirectory}`, { mode: 0o600 });
  } catch (thrown) {
    // A directory with an empty file would stay forever.
    rmSync(owner, { force: true });
    if (readdirSync(path).length === 0) rmdirSync(path);
    throw thrown;
  }
  return path;
}

/** `/tmp/awf-<timestamp>`, unique even within one millisecond. */
export function defaultWorkDirectory(): string {
  for (let stamp = Date.now(); ; stamp += 1) {
    const path = join(tmpdir(), `${prefix}${stamp}`);
    try {
      mkdirSync(path, { mode: 0o700 });
      return path;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
  }
}

/** Removes the directories of killed runs, once their changes are committed. */
export function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!/^awf-\d+$/.test(name)) continue;
    const path = join(tmpdir(), name);
    try {
      const owner = Number(readFileSync(join(path, ownerFile), "utf8").split("\n")[0]);
      if (isRunning(owner)) continue;
      commitAbandoned(path);
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Another user's directory, or one that is being created.
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
