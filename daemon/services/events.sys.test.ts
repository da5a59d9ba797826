import test from "ava";
import { contextOf, kitFor, Lines } from "./testing/services.js";

test("events are numbered without gaps, and tell whose they are", async (t) => {
  const kit = await kitFor(t);
  const { context } = await contextOf(kit, "hooks");
  t.is(kit.events.sequence, 0);
  kit.events.emit("generation.committed", { number: 1 });
  context.events.emit("hook.triggered", { hook: "deploy" });
  t.deepEqual(
    kit.events.since(0)?.map(({ at, ...event }) => ({ ...event, timed: at > 0 })),
    [
      { sequence: 1, type: "generation.committed", data: { number: 1 }, timed: true },
      {
        sequence: 2,
        type: "hook.triggered",
        plugin: "hooks",
        data: { hook: "deploy" },
        timed: true,
      },
    ],
  );
  t.deepEqual(
    kit.events.since(1)?.map(({ sequence }) => sequence),
    [2],
  );
  t.deepEqual(kit.events.since(2), []);
});

test("data is what it was when it was told, without secrets", async (t) => {
  const kit = await kitFor(t);
  kit.mask.add("hunter2hunter2");
  const data = { list: [1], text: "hunter2hunter2", token: "x" };
  kit.events.emit("a.b", data);
  data.list.push(2);
  t.deepEqual(kit.events.since(0)?.[0]?.data, { list: [1], text: "(secret)", token: "(secret)" });
});

test("a subscriber is told at once, in order, also of what a subscriber tells", async (t) => {
  const kit = await kitFor(t);
  const first: string[] = [];
  const second: string[] = [];
  const leave = kit.events.subscribe(({ type }) => {
    first.push(type);
    if (type === "a") kit.events.emit("b");
  });
  kit.events.subscribe(({ type }) => second.push(type));
  kit.events.emit("a");
  t.deepEqual(
    [first, second],
    [
      ["a", "b"],
      ["a", "b"],
    ],
  );
  leave();
  kit.events.emit("c");
  t.deepEqual(
    [first, second],
    [
      ["a", "b"],
      ["a", "b", "c"],
    ],
  );
});

test("a subscriber that throws is logged and kept", async (t) => {
  const lines = new Lines();
  const kit = await kitFor(t, { logStream: lines });
  let calls = 0;
  kit.events.subscribe(() => {
    calls += 1;
    throw new Error("oops");
  });
  kit.events.emit("a");
  kit.events.emit("b");
  t.is(calls, 2);
  t.is(lines.all.filter(({ level }) => level === "error").length, 2);
});

test("a subscriber that falls behind learns that it has, and nothing grows", async (t) => {
  const kit = await kitFor(t);
  for (let count = 0; count < 10_000; count++) kit.events.emit("tick", { count });
  t.is(kit.events.sequence, 10_000);
  t.is(kit.events.since(0), undefined);
  t.is(kit.events.since(10_001), undefined, "from another life of the daemon");
  const kept = kit.events.since(10_000 - 4096);
  t.is(kept?.length, 4096);
  t.is(kept?.[0]?.data.count, 10_000 - 4096);
  t.is(kept?.at(-1)?.data.count, 9999);
});

for (const type of ["", "Upper.case", "a..b", "a b", "a.", "1a"]) {
  test(`"${type}" is no type of event: it is dropped with a warning`, async (t) => {
    const lines = new Lines();
    const kit = await kitFor(t, { logStream: lines });
    kit.events.emit(type);
    t.is(kit.events.sequence, 0);
    t.is(lines.all.at(-1)?.level, "warn");
  });
}
