/** Which commit a configuration is, as far as git can say. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Generation } from "./contract.js";

/** Milliseconds. A generation does not wait longer for its commit's name. */
const TIMEOUT = 2_000;

const run = promisify(execFile);

/** Nothing outside of git, without a git, before a first commit, or when git takes too long. */
export async function gitState(directory: string): Promise<Generation["git"]> {
  try {
    // No lock is taken and no program of the repository's choosing is run: looking must not touch anything.
    const { stdout } = await run(
      "git",
      [
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "-C",
        directory,
        "status",
        "--porcelain=v2",
        "--branch",
        "--",
        ".",
      ],
      { timeout: TIMEOUT, killSignal: "SIGKILL", maxBuffer: 4 * 1024 * 1024 },
    );
    const lines = stdout.split("\n").filter(Boolean);
    const [, commit] = /^# branch\.oid ([0-9a-f]{40,64})$/m.exec(stdout) ?? [];
    if (commit === undefined) return undefined;
    return { commit, dirty: lines.some((line) => !line.startsWith("#")) };
  } catch {
    return undefined;
  }
}
