/** Keeps non-empty logs of a run where `awf logs` finds them. */
import { chmodSync, cpSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { systemCode } from "../errors.js";
import { accessLogName } from "../log/writer.js";

export interface Preserved {
  readonly directory: string;
  /** False: the run already wrote them there. */
  readonly moved: boolean;
}

/** Undefined if there is nothing to keep. */
export function preserveLogs(
  workDirectory: string,
  logDirectory: string,
  stays: boolean,
): Preserved | undefined {
  if (stays) return { directory: logDirectory, moved: false };
  const size = statSync(join(logDirectory, accessLogName), { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return undefined;
  const stamp = basename(workDirectory).replace(/^awf-/, "");
  const directory = join(tmpdir(), `squid-logs-${/^\d+$/.test(stamp) ? stamp : Date.now()}`);
  move(logDirectory, directory);
  chmodSync(directory, 0o755);
  return { directory, moved: true };
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    // The work directory may be on another file system.
    if (systemCode(thrown) !== "EXDEV") throw thrown;
    cpSync(from, to, { recursive: true });
    rmSync(from, { recursive: true });
  }
}
