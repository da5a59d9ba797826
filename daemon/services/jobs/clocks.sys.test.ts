/** Time goes on while a queue is looked at. */
import test from "ava";
import { FakeClock } from "../fake-clock.js";
import { contextOf, kitFor, until } from "../testing/services.js";

/** Every look at it is later than the one before. */
class HastyClock extends FakeClock {
  #looks = 0;
  override now(): number {
    this.#looks += 3;
    return super.now() + this.#looks;
  }
}

test("what becomes due between two looks at a queue is not forgotten", async (t) => {
  const clock = new HastyClock();
  const kit = await kitFor(t, { clock });
  const { jobs } = (await contextOf(kit)).context;
  const done: number[] = [];
  const queue = await jobs.queue<number>("q", {}, async ({ payload }) => {
    done.push(payload);
  });
  const waits = Array.from({ length: 40 }, (_, wait) => wait);
  for (const wait of waits) {
    await queue.add(wait, { runAt: clock.now() + wait });
    await until(() => {
      clock.pass(1);
      return done.includes(wait);
    });
  }
  t.deepEqual(done, waits);
});
