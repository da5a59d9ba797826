import test from "ava";
import type { DaemonEvent } from "../../../daemon/http/control/api.js";
import { NOW, run, runSummary, snapshot } from "../../testing/samples.js";
import { Feed, Rates, Ring } from "./feed.js";
import { withNewest } from "./runs.js";

const event = (sequence: number, more: Partial<DaemonEvent> = {}) => ({
  line: "event" as const,
  sequence,
  at: NOW,
  type: "hook.finished",
  data: {},
  ...more,
});

test("a ring keeps the newest, the newest first", (t) => {
  const ring = new Ring<number>(3);
  for (let item = 1; item <= 100; item += 1) {
    ring.push(item);
    t.true(ring.newestFirst().length <= 3);
  }
  t.deepEqual(ring.newestFirst(), [100, 99, 98]);
  t.is(ring.newestFirst(), ring.newestFirst(), "the same array as long as nothing is added");
});

test("rates count by second, and seconds in which nothing happens are empty", (t) => {
  const rates = new Rates();
  for (const at of [1_000_000, 1_000_400, 1_001_000, 1_004_100]) rates.add(at);
  rates.advance(1_005_000);
  t.deepEqual(rates.last(6), [0, 2, 1, 0, 0, 1]);
});

test("what happened a while ago counts where it belongs, and what is too old not at all", (t) => {
  const rates = new Rates();
  rates.advance(1_000_000);
  rates.add(998_000);
  rates.add(100_000);
  t.deepEqual(rates.last(3), [0, 1, 0]);
});

test("rates after a long silence are all empty", (t) => {
  const rates = new Rates();
  rates.add(1_000_000);
  rates.advance(9_000_000);
  t.true(rates.last(200).every((rate) => rate === 0));
});

test("what was left out counts, too", (t) => {
  const feed = new Feed(NOW);
  feed.add(snapshot, NOW);
  feed.add(event(8, { plugin: "hooks" }), NOW);
  const second = Math.floor(NOW / 1000);
  const counts = [{ plugin: "hooks", second, count: 999 }];
  feed.add({ line: "left_out", sequence: 1007, counts }, NOW);
  const { events, rates } = feed.view(NOW + 1000);
  t.is(events.length, 1);
  t.is(rates.all.at(-1), 1000);
  t.is(rates.of.get("hooks")?.at(-1), 1000);
});

test("a feed knows the daemon's clock, its events and how many there are by plugin", (t) => {
  const feed = new Feed(NOW);
  feed.add(snapshot, NOW - 5000);
  feed.add(event(8, { plugin: "hooks" }), NOW - 5000);
  const view = feed.view(NOW - 4000);
  t.is(view.now, NOW + 1000);
  t.deepEqual(
    view.events.map(({ sequence }) => sequence),
    [8],
  );
  t.is(view.rates.all.at(-1), 1);
  t.is(view.rates.of.get("hooks")?.at(-1), 1);
});

test("a lost daemon has been lost since its last word", (t) => {
  const feed = new Feed(NOW);
  feed.add(snapshot, NOW);
  feed.add({ line: "lost", reason: "it broke", retryIn: 500 }, NOW + 7000);
  feed.add({ line: "lost", reason: "still", retryIn: 500 }, NOW + 9000);
  t.deepEqual(feed.view(NOW + 9000).link, { state: "lost", since: NOW, reason: "it broke" });
  feed.add({ line: "heartbeat", sequence: 7, at: NOW }, NOW + 10_000);
  t.is(feed.view(NOW + 10_000).link.state, "live");
});

test("events of a daemon that has ended go when another one begins", (t) => {
  const feed = new Feed(NOW);
  feed.add(snapshot, NOW);
  feed.add(event(8), NOW);
  feed.add({ ...snapshot, missed: true }, NOW);
  t.is(feed.view(NOW).events.length, 1, "the same one only missed something");
  t.true(feed.view(NOW).missed);
  feed.add({ ...snapshot, boot: "b2" }, NOW);
  t.is(feed.view(NOW).events.length, 0);
});

const runs = (...ids: readonly string[]) => ids.map((id) => ({ ...runSummary, id }));
const ids = (list: ReadonlyArray<{ readonly id: string }>) => list.map(({ id }) => id).join(" ");

test("a new page of runs joins those that are known", (t) => {
  const known = runs("r5", "r4", "r3", "r2", "r1");
  t.is(ids(withNewest(known, runs("r7", "r6", "r5"))), "r7 r6 r5 r4 r3 r2 r1");
  t.is(ids(withNewest([], runs("r2", "r1"))), "r2 r1");
  t.is(ids(withNewest(known, runs("r9", "r8"))), "r9 r8", "a gap is not bridged");
});

test("runs that have not changed stay the same objects", (t) => {
  const known = runs("r3", "r2", "r1");
  t.is(withNewest(known, runs("r3", "r2")), known);
  const [first] = runs("r3");
  const changed = withNewest(known, [{ ...(first ?? run), state: "running" }, ...runs("r2")]);
  t.is(changed[0]?.state, "running");
  t.is(changed[1], known[1]);
});
