import test from "ava";
import { FakeClock } from "../services/fake-clock.js";
import { ExaminationPace } from "./host-conditions.js";

/** The times, in seconds, at which examinations of `cost` milliseconds run in two minutes of ticks. */
async function examinedAt(cost: number): Promise<readonly number[]> {
  const clock = new FakeClock();
  const start = clock.now();
  const pace = new ExaminationPace();
  const times: number[] = [];
  let spent = 0;
  const examine = async () => {
    times.push((clock.now() - start) / 1000);
    spent += cost;
  };
  for (let second = 0; second <= 120; second += 5) {
    await pace.again(clock, examine, () => spent);
    await clock.advance(5000);
  }
  return times;
}

test("the machine is examined at every tick where that costs little", async (t) => {
  t.is((await examinedAt(20)).length, 25);
});

test("an examination of 60 milliseconds runs every 15 seconds: 0.5 % of the processor", async (t) => {
  t.deepEqual(await examinedAt(60), [0, 15, 30, 45, 60, 75, 90, 105, 120]);
});

test("the most expensive examination runs every minute", async (t) => {
  t.deepEqual(await examinedAt(10_000), [0, 60, 120]);
});

test("an examination that fails does not end the next", async (t) => {
  const pace = new ExaminationPace();
  const clock = new FakeClock();
  const failure = new Error("the disk is gone");
  await t.throwsAsync(
    pace.again(clock, () => Promise.reject(failure)),
    { is: failure },
  );
  const examined: string[] = [];
  await pace.again(clock, async () => void examined.push("again"));
  t.deepEqual(examined, ["again"]);
});
