import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { folder } from "../../../tests/support/folder.js";
import { ProcessRegistry } from "./process-registry.js";

function pathFor(t: ExecutionContext): string {
  return join(folder(t), "commands");
}

/** A process in a group of its own, which is gone after the test. */
function sleeper(t: ExecutionContext, script = "sleep 600") {
  const env = { ...process.env, REEVE_RUN: "run1" };
  const { pid, ended } = child(t, "sh", ["-c", script], { stdio: "ignore", env });
  return { pid, ended };
}

/** Whether the group has somebody who is not only waiting to be buried. */
const alive = (group: number): boolean =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [, state, of] = /\) (\S) \d+ (\d+) /.exec(stat) ?? [];
        return Number(of) === group && state !== "Z";
      } catch {
        return false;
      }
    });

test("what a dead daemon has left running is ended, with its group", async (t) => {
  const path = pathFor(t);
  const first = new ProcessRegistry(path);
  const from = performance.now();
  const { pid, ended } = sleeper(t, "sleep 600 & sleep 600");
  first.begin(pid, from, "REEVE_RUN=run1");
  const next = new ProcessRegistry(path);
  t.is(next.orphans, 1);
  await next.endOrphans();
  await ended;
  t.false(alive(pid));
  t.is(new ProcessRegistry(path).orphans, 0, "only once");
});

test("what has ended is not looked for", async (t) => {
  const path = pathFor(t);
  const first = new ProcessRegistry(path);
  const from = performance.now();
  const { pid } = sleeper(t);
  first.end(first.begin(pid, from, ""));
  t.is(new ProcessRegistry(path).orphans, 0);
  t.true(alive(pid));
});

test("a process that began at another time is somebody else's with the same number", async (t) => {
  const path = pathFor(t);
  const first = new ProcessRegistry(path);
  const { pid } = sleeper(t);
  first.begin(pid, performance.now() + 10_000, "REEVE_RUN=run1");
  t.is(new ProcessRegistry(path).orphans, 0);
  t.true(alive(pid));
});

test("of a group without its leader, only one with the variable is ours", async (t) => {
  for (const [marker, count] of [
    ["REEVE_RUN=run1", 1],
    ["REEVE_RUN=run2", 0],
    ["", 0],
  ] as const) {
    const path = pathFor(t);
    const first = new ProcessRegistry(path);
    const from = performance.now();
    const { pid, ended } = sleeper(t, "sleep 600 & exit");
    await ended;
    first.begin(pid, from, marker);
    const next = new ProcessRegistry(path);
    t.is(next.orphans, count, marker);
    await next.endOrphans();
    t.is(alive(pid), count === 0);
  }
});

test("after a boot, numbers mean nothing any more", async (t) => {
  const path = pathFor(t);
  const first = new ProcessRegistry(path);
  const from = performance.now();
  const { pid } = sleeper(t);
  first.begin(pid, from, "REEVE_RUN=run1");
  const file = readFileSync(path);
  file.write("00000000", 0);
  writeFileSync(path, file);
  t.is(new ProcessRegistry(path).orphans, 0);
  t.true(alive(pid));
});

test("a file of something else is no trouble", async (t) => {
  const path = pathFor(t);
  writeFileSync(path, "nonsense".repeat(100));
  t.is(new ProcessRegistry(path).orphans, 0);
});

test("more commands than there was room for are noted, too", async (t) => {
  const path = pathFor(t);
  const first = new ProcessRegistry(path);
  for (let index = 0; index < 2000; index += 1) first.begin(2 ** 31 + index, performance.now(), "");
  const from = performance.now();
  const { pid, ended } = sleeper(t);
  first.begin(pid, from, "");
  const next = new ProcessRegistry(path);
  t.is(next.orphans, 1);
  await next.endOrphans();
  await ended;
});
