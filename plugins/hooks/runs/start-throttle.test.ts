import test from "ava";
import { turns } from "../../../tests/support/eventually.js";
import { StartThrottle } from "./start-throttle.js";

/** So many commands, and which of them have started. */
function crowd(pace: StartThrottle, count: number): readonly number[] {
  const started: number[] = [];
  for (let who = 0; who < count; who += 1) void pace.turn().then(() => started.push(who));
  return started;
}

/** A request comes in each of so many turns of the event loop. */
const requests = async (pace: StartThrottle, count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    pace.noteRequest();
    await turns();
  }
};

test("without requests, one starts in each turn of the event loop, in their order", async (t) => {
  const started = crowd(new StartThrottle(() => 0), 4);
  t.deepEqual(started, []);
  await turns(20);
  t.deepEqual(started, [0, 1, 2, 3]);
});

test("as long as requests come, none starts before its patience is at an end", async (t) => {
  let now = 0;
  const pace = new StartThrottle(() => now);
  const started = crowd(pace, 3);
  await requests(pace, 20);
  t.deepEqual(started, []);
  now = 5;
  await requests(pace, 20);
  t.deepEqual(started, [0]);
  now = 10;
  await requests(pace, 20);
  t.deepEqual(started, [0, 1]);
  await turns(20);
  t.deepEqual(started, [0, 1, 2]);
});

test("later commands get a turn, too", async (t) => {
  const pace = new StartThrottle(() => 0);
  const first = crowd(pace, 1);
  await turns(5);
  const second = crowd(pace, 1);
  await turns(5);
  t.deepEqual([first, second], [[0], [0]]);
});
