// Cleans up after a run of tests, also when the run was killed: a process of its own that waits for the end of its input, which
// the runner holds open. Ends every process of the run, removes the sockets that the runner held, unmounts what is below the run's
// directory and removes the directory.
// Prints what it found as one line of JSON. `janitor.mjs DIRECTORY PID-OF-THE-RUNNER`

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { remove } from "../../dist/tests/support/remove.js";
import { vacate } from "./occupy.mjs";
import { allProcesses, commandLine, Family, kill, SHARED } from "./processes.mjs";

const [directory, runner] = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => undefined);

const variable = `REEVE_TEST_RUN=${directory}`;
const family = new Family(Number(runner), variable);
/** Without what files share until the end of the run. */
const unshared = new Family(Number(runner), variable, SHARED);
const others = (members, options) =>
  members.living(allProcesses(), options).filter((pid) => pid !== process.pid);
const timer = setInterval(() => [family, unshared].map((members) => others(members)), 2_000);
process.stdin.resume();
await new Promise((resolve) => process.stdin.on("close", resolve));
clearInterval(timer);

const found = new Set(others(unshared, { thorough: true }).map(commandLine));
// A process may start another one before it is killed.
for (let rounds = 0; rounds < 50; rounds += 1) {
  const left = others(family, { thorough: true });
  if (left.length === 0) break;
  for (const pid of left) kill(pid);
  await sleep(20);
}
vacate(join(directory, "occupied"));
const mounts = mountsBelow(directory);
for (const mount of [directory, ...mounts].toReversed())
  spawnSync("umount", ["-l", mount], { stdio: "ignore" });
const files = [];
try {
  remove(directory);
} catch (thrown) {
  files.push(`files that cannot be removed: ${thrown.message}`);
}
process.stdout.write(
  `${JSON.stringify({ left: [...[...found].filter(Boolean), ...mounts, ...files] })}\n`,
);

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
