import test from "ava";
import fc from "fast-check";
import { Lane, type LaneLimits, type Place } from "./lane.js";

const lane = (concurrency: number, queue: number, overflow: LaneLimits["overflow"] = "reject") =>
  new Lane({ concurrency, queue, overflow });

/** What has been decided about a place by now. */
async function state(place: Place | undefined): Promise<string> {
  if (!place) return "refused";
  return Promise.race([place.turn, new Promise<string>((give) => setImmediate(give, "waiting"))]);
}

test("as many run at the same time as may, the next wait, the next are refused", async (t) => {
  const one = lane(2, 1);
  const places = [one.enter(), one.enter(), one.enter(), one.enter()];
  t.deepEqual(await Promise.all(places.map(state)), ["go", "go", "waiting", "refused"]);
  t.deepEqual(
    places.map((place) => place?.waited),
    [false, false, true, undefined],
  );
});

test("who waits longest goes next", async (t) => {
  const one = lane(1, 10);
  const [first, second, third] = [one.enter(), one.enter(), one.enter()];
  first?.leave();
  t.deepEqual(await Promise.all([second, third].map(state)), ["go", "waiting"]);
  second?.leave();
  t.is(await state(third), "go");
});

test("without a queue nobody waits", async (t) => {
  const one = lane(1, 0, "drop_oldest");
  one.enter();
  t.is(one.enter(), undefined);
});

test("a full queue may drop who has waited longest instead", async (t) => {
  const one = lane(1, 1, "drop_oldest");
  const [first, second, third] = [one.enter(), one.enter(), one.enter()];
  t.deepEqual(await Promise.all([first, second, third].map(state)), ["go", "dropped", "waiting"]);
});

test("leaving twice frees one place, and leaving before one's turn frees none", async (t) => {
  const one = lane(1, 10);
  const [first, second, third, fourth] = [one.enter(), one.enter(), one.enter(), one.enter()];
  second?.leave();
  first?.leave();
  first?.leave();
  t.deepEqual(await Promise.all([third, fourth].map(state)), ["go", "waiting"]);
  t.is(one.running, 1);
});

test("new limits hold at once for those who wait", async (t) => {
  const one = lane(1, 10);
  const places = [one.enter(), one.enter(), one.enter()];
  one.limits = { concurrency: 3, queue: 10, overflow: "reject" };
  t.deepEqual(await Promise.all(places.map(state)), ["go", "go", "go"]);
});

test("fewer places are taken over as those who run leave", async (t) => {
  const one = lane(2, 10);
  const [first, second, third] = [one.enter(), one.enter(), one.enter()];
  one.limits = { concurrency: 1, queue: 10, overflow: "reject" };
  first?.leave();
  t.is(await state(third), "waiting");
  second?.leave();
  t.is(await state(third), "go");
});

test("it is empty when the last one has left, also when the waiting were sent home", async (t) => {
  const one = lane(1, 10);
  await one.empty();
  const [first, second] = [one.enter(), one.enter()];
  const empty = one.empty();
  one.clear();
  t.is(await state(second), "stopping");
  t.is(await Promise.race([empty, new Promise((give) => setImmediate(give, "busy"))]), "busy");
  first?.leave();
  await empty;
  t.is(one.running + one.waiting, 0);
});

test("whatever happens, the limits hold and nobody is forgotten", async (t) => {
  const action = fc.oneof(
    fc.constant("enter" as const),
    fc.nat({ max: 50 }),
    fc.record({
      concurrency: fc.integer({ min: 1, max: 5 }),
      queue: fc.nat({ max: 5 }),
      overflow: fc.constantFrom("reject" as const, "drop_oldest" as const),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const one = lane(2, 2);
      const places: Place[] = [];
      for (const each of actions) {
        if (typeof each === "object") one.limits = each;
        else if (typeof each === "number") places[each]?.leave();
        else {
          const place = one.enter();
          if (place) places.push(place);
        }
      }
      for (const place of places) place.leave();
      await one.empty();
      const turns = await Promise.all(places.map(({ turn }) => turn));
      return turns.every((turn) => turn === "go" || turn === "dropped") && one.running === 0;
    }),
  );
  t.pass();
});
