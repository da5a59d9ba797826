import test from "ava";
import { eventually, turns } from "../../../tests/support/eventually.js";
import { FakeClock } from "../../services/fake-clock.js";
import { KeptLog } from "../testing/kept-log.js";
import { watch } from "../testing/lines.js";
import { openControl } from "../testing/open-control.js";
import { Bus, runRecord, scene } from "../testing/subjects.js";
import type { EventLine, EventQuery, Status } from "./api.js";
import { EventStream, HEARTBEAT } from "./event-stream.js";

test("a stream begins with everything and goes on with what happens", async (t) => {
  const stage = scene();
  stage.bus.emit("before");
  const { path } = await openControl(t, stage);
  const { next } = await watch(t, path);
  const snapshot = await next();
  t.like(snapshot, { line: "snapshot", sequence: 1, status: { version: "0.1.0" } });
  t.true(snapshot?.line === "snapshot" && snapshot.runs.length === 3);
  stage.bus.emit("hook.finished", { id: "r4" });
  t.deepEqual(await next(), {
    line: "event",
    sequence: 2,
    at: 0,
    type: "hook.finished",
    data: { id: "r4" },
  });
});

test("a client goes on where it was", async (t) => {
  const stage = scene();
  const { path } = await openControl(t, stage);
  const { next } = await watch(t, path);
  const snapshot = await next();
  const boot = snapshot?.line === "snapshot" ? snapshot.boot : "";
  for (const type of ["a", "b", "c"]) stage.bus.emit(type);

  const again = await watch(t, path, `?since=1&boot=${boot}`);
  t.like(await again.next(), { line: "event", sequence: 2, type: "b" });
  stage.bus.emit("d");
  t.like(await again.next(), { line: "event", sequence: 3 });
  t.like(await again.next(), { line: "event", sequence: 4, type: "d" });
});

const unresumable: Readonly<Record<string, string>> = {
  "another daemon's numbers": "?since=1&boot=somebody-else",
  "numbers that are not there yet": "?since=99",
  "numbers that are not kept any more": "?since=0",
};
for (const [title, query] of Object.entries(unresumable)) {
  test(`${title} mean a snapshot that says so`, async (t) => {
    const stage = { ...scene(), bus: new Bus(2) };
    for (const type of ["a", "b", "c"]) stage.bus.emit(type);
    const { path } = await openControl(t, stage);
    const { next } = await watch(t, path, query);
    t.like(await next(), { line: "snapshot", sequence: 3, missed: true });
  });
}

test("a client that goes away leaves nothing behind", async (t) => {
  const stage = scene();
  const { path } = await openControl(t, stage);
  const { next, request } = await watch(t, path);
  await next();
  t.is(stage.bus.listeners, 1);
  request.destroy();
  await eventually("the end of the stream", () => stage.bus.listeners === 0);
  t.is(stage.bus.listeners, 0);
});

test("streams end when the daemon does", async (t) => {
  const { path, control } = await openControl(t, scene());
  const { next } = await watch(t, path);
  await next();
  await control.close();
  t.is(await next(), undefined);
});

test("a burst of thousands arrives complete and in order", async (t) => {
  const stage = { ...scene(), bus: new Bus(10_000) };
  const { path } = await openControl(t, stage);
  const { next } = await watch(t, path);
  await next();
  for (let index = 1; index <= 5000; index += 1) stage.bus.emit("tick", { index });
  for (let index = 1; index <= 5000; index += 1) {
    const line = await next();
    if (line?.sequence !== index) t.fail(`${index} is missing`);
  }
  t.pass();
});

/** A stream whose client reads only when it is told to. */
function slow(query: EventQuery = {}) {
  const bus = new Bus(100_000);
  const clock = new FakeClock(1_000_000);
  const lines: EventLine[] = [];
  const sink = {
    open: false,
    write(text: string) {
      for (const line of text.trim().split("\n")) lines.push(JSON.parse(line));
      return this.open;
    },
    end: () => undefined,
  };
  const kit = { events: bus, clock, log: new KeptLog() };
  const status = {} as Status;
  const snapshot = async () => ({ status, runs: [] });
  const stream = new EventStream({ kit, boot: "b", snapshot }, sink, query);
  const drained = () => turns(5);
  return { bus, clock, lines, sink, stream, drained };
}

test("a client that does not read loses events, not its way", async (t) => {
  const { bus, lines, sink, stream, drained } = slow();
  await drained();
  t.like(lines, [{ line: "snapshot", sequence: 0 }]);
  for (let index = 0; index < 20_000; index += 1) bus.emit("tick");
  await drained();
  t.is(lines.length, 1);

  sink.open = true;
  stream.drained();
  await drained();
  t.like(lines.slice(1), [{ line: "snapshot", sequence: 20_000, missed: true }]);
  bus.emit("after");
  await drained();
  t.like(lines.slice(2), [{ line: "event", sequence: 20_001 }]);
  stream.close();
});

test("what happens while a client is slow for a moment is delivered", async (t) => {
  const { bus, lines, sink, stream, drained } = slow();
  await drained();
  bus.emit("a");
  bus.emit("b");
  sink.open = true;
  stream.drained();
  await drained();
  t.deepEqual(
    lines.map(({ sequence }) => sequence),
    [0, 1, 2],
  );
  stream.close();
});

test("a client that shows how things are gets a few lines in a while, however much happens", async (t) => {
  const { bus, clock, lines, sink, stream, drained } = slow({ most: 2 });
  sink.open = true;
  await drained();
  for (let index = 0; index < 20_000; index += 1) bus.emit("tick", {}, "busy");
  await drained();
  t.is(lines.length, 1, "the others are waited for");
  clock.pass(100);
  await drained();
  t.like(lines.slice(1), [
    { line: "event", sequence: 19_999 },
    { line: "event", sequence: 20_000 },
    { line: "left_out", counts: [{ plugin: "busy", count: 19_998 }] },
  ]);
  stream.close();
});

test("silence is interrupted by heartbeats, and only silence", async (t) => {
  const { bus, clock, lines, sink, stream, drained } = slow();
  sink.open = true;
  await drained();
  clock.pass(HEARTBEAT);
  await drained();
  bus.emit("a");
  await drained();
  clock.pass(HEARTBEAT);
  await drained();
  clock.pass(HEARTBEAT);
  await drained();
  t.deepEqual(
    lines.map(({ line }) => line),
    ["snapshot", "event", "heartbeat"],
  );
  stream.close();
});

test("a run's output is not part of a snapshot", async (t) => {
  const stage = { ...scene(), runs: [runRecord("r1")] };
  const { path } = await openControl(t, stage);
  const { next } = await watch(t, path);
  const snapshot = await next();
  t.deepEqual(snapshot?.line === "snapshot" && snapshot.runs[0]?.output, { bytes: 5, omitted: 0 });
});
