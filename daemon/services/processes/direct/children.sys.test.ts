import test from "ava";
import { child } from "../../../../tests/support/child.js";
import { Environment } from "../environment.js";
import type { Spawner } from "../spawner.js";
import { Children } from "./children.js";
import { directSpawner } from "./direct.js";
import { isSupported } from "./libc.js";

test("a child that has ended before anybody knew its number is not waited for", async (t) => {
  const children = new Children(() => 3 << 8);
  const { ending } = await children.follow(async () => 1234);
  t.deepEqual(await ending, { exitCode: 3, signal: undefined });
});

test("a child that somebody else has buried has ended, nobody knows how", async (t) => {
  const children = new Children(() => "gone");
  const { ending } = await children.follow(async () => 1234);
  t.deepEqual(await ending, { exitCode: undefined, signal: undefined });
});

test("a start that fails is passed on, and the next child is heard", async (t) => {
  const children = new Children(() => 9);
  await t.throwsAsync(
    children.follow(() => Promise.reject(new Error("no room"))),
    { message: "no room" },
  );
  const { ending } = await children.follow(async () => 1234);
  t.deepEqual(await ending, { exitCode: undefined, signal: "SIGKILL" });
});

if (isSupported) {
  test("children of Node's own end as ever while others are looked after", async (t) => {
    const spawner = (await directSpawner()) as Spawner;
    const ours = await spawner.start({
      ...{ program: "/bin/cat", args: [], cwd: "/", env: new Environment({}, {}) },
      ...{ stdin: true, output: "merged" },
    });
    t.is(await child(t, "/bin/sh", ["-c", "exit 7"]).ended, 7);
    for (const output of ours.outputs) output.listen(() => undefined);
    ours.stdin?.end();
    t.deepEqual(await ours.ending, { exitCode: 0, signal: undefined });
  });
}
