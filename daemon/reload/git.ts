/** The commit of a configuration. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Generation } from "./contract.js";

/** Timeout for git, in milliseconds. */
const TIMEOUT = 2_000;

const run = promisify(execFile);

/** `undefined` outside a repository, without git, before a first commit, or after the timeout. */
export async function gitState(directory: string): Promise<Generation["git"]> {
  if (!process.env.GIT_DIR && !isInRepository(directory)) return undefined;
  try {
    // Takes no lock and runs no program configured by the repository.
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

/** Whether the directory is in a repository: cheaper than starting git. */
function isInRepository(directory: string): boolean {
  for (let at = resolve(directory); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (at === dirname(at)) return false;
  }
}
