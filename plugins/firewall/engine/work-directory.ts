/** The run's own directory for files that the sandbox mounts or reads at its start. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "awf-";
const ownerFile = "pid";

/** Makes the directory, readable by its owner only, with a note of who uses it and where the logs are. */
export function makeWorkDirectory(path: string, logDirectory = ""): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(path, ownerFile), `${process.pid}\n${logDirectory}`, { mode: 0o600 });
  return path;
}

/** `/tmp/awf-<timestamp>`; two runs in the same millisecond get two names. */
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

/** Removes what runs that were killed have left: directories whose owner is gone. */
export function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!/^awf-\d+$/.test(name)) continue;
    const path = join(tmpdir(), name);
    try {
      const owner = Number(readFileSync(join(path, ownerFile), "utf8").split("\n")[0]);
      if (!isRunning(owner)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else's directory, or one that is being made right now.
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
