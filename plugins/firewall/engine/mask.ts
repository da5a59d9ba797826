/** Covers files while a command runs, in the namespace that bubblewrap starts in. */
import { spawn } from "node:child_process";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { helper, helperPath } from "./helpers.js";

const script = fileURLToPath(new URL("./mask-process.js", import.meta.url));
/** Pairs of source and path, by process. */
const waiting = new Map<number, string[]>();

/**
 * Mounts an empty file or directory over a path without links. The mounts of that namespace are shared with those that bubblewrap makes of
 * them, so the command sees it, wherever the path is visible.
 */
export function maskFromOutside(pid: number, empty: string, path: string): void {
  const pairs = waiting.get(pid);
  if (pairs) pairs.push(empty, path);
  else {
    waiting.set(pid, [empty, path]);
    setImmediate(() => start(pid));
  }
}

function start(pid: number): void {
  const pairs = waiting.get(pid) ?? [];
  waiting.delete(pid);
  const user = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"];
  // The process itself is outside of the process namespace that it made.
  const processes = `--pid=/proc/${pid}/ns/pid_for_children`;
  const target = ["--target", String(pid), ...user, processes, "--mount", "--"];
  const child = spawn(helper("nsenter"), [...target, process.execPath, script, ...pairs], {
    cwd: "/",
    env: { PATH: helperPath, ...(isSea() && { REEVE_MODULE: "1" }) },
    stdio: "ignore",
  });
  // The file or the run may be gone.
  child.on("error", () => {});
}
