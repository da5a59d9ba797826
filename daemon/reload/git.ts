/** Which commit a configuration is, as far as git can say. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Generation } from "./contract.js";

/** Milliseconds. A generation does not wait longer for its commit's name. */
const TIMEOUT = 2_000;

const run = promisify(execFile);

/** Nothing outside of git, without a git, before a first commit, or when git takes too long. */
export async function gitState(directory: string): Promise<Generation["git"]> {
  if (!process.env.GIT_DIR && !isInRepository(directory)) return undefined;
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

/** Whether git has anything to look at: it takes longer to start than to answer. */
function isInRepository(directory: string): boolean {
  for (let at = resolve(directory); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (at === dirname(at)) return false;
  }
}
