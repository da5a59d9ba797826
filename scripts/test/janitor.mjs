// Cleans up after a run of tests, also when the run was killed: a process of its own that waits for the end of its input, which
// the runner holds open. Ends every process of the run, unmounts what is below the run's directory and removes the directory.
// Prints what it found as one line of JSON. `janitor.mjs DIRECTORY PID-OF-THE-RUNNER`

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { allProcesses, commandLine, Family, hasVariable, kill, SHARED } from "./processes.mjs";

const [directory, runner] = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => undefined);

const family = new Family(Number(runner), `REEVE_TEST_RUN=${directory}`);
const others = (options) =>
  family.living(allProcesses(), options).filter((pid) => pid !== process.pid);
const timer = setInterval(() => others(), 2_000);
process.stdin.resume();
await new Promise((resolve) => process.stdin.on("close", resolve));
clearInterval(timer);

// A process may start another one before it is killed.
const found = new Set();
for (
  let left = others({ thorough: true }), rounds = 0;
  left.length > 0 && rounds < 50;
  rounds += 1
) {
  for (const pid of left) if (!hasVariable(pid, SHARED)) found.add(commandLine(pid));
  for (const pid of left) kill(pid);
  await sleep(20);
  left = others({ thorough: true });
}
const mounts = mountsBelow(directory);
for (const mount of mounts.toReversed()) spawnSync("umount", ["-l", mount]);
rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
process.stdout.write(`${JSON.stringify({ processes: [...found].filter(Boolean), mounts })}\n`);

function mountsBelow(path) {
  try {
    return readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "")
      .filter((mount) => mount.startsWith(`${path}/`));
  } catch {
    return [];
  }
}
