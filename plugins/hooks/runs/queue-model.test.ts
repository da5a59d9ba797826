/** The lane beside a model of it that is too simple to be wrong: lists, searched from the beginning each time. */
import test from "ava";
import fc from "fast-check";
import { ConcurrencyQueue, type QueueLimits, type Slot } from "./concurrency-queue.js";

interface Waiter {
  readonly number: number;
  readonly key: string | undefined;
}

class Model {
  limits: QueueLimits = { concurrency: 2, queue: 2, overflow: "refuse" };
  running: Waiter[] = [];
  waiting: Waiter[] = [];
  readonly dropped: number[] = [];
  readonly refused: number[] = [];

  enter(waiter: Waiter, again: boolean): void {
    const { queue, overflow } = this.limits;
    if (this.#fits(waiter)) {
      this.running.push(waiter);
      return;
    }
    if (!again && overflow === "keep_latest") {
      this.#drop(this.waiting.filter(({ key }) => key === waiter.key));
    }
    if (!again && this.waiting.length >= queue) {
      if (overflow !== "drop_oldest" || this.waiting.length === 0) {
        this.refused.push(waiter.number);
        return;
      }
      this.#drop(this.waiting.slice(0, 1));
    }
    this.waiting.push(waiter);
  }

  leave(number: number): void {
    this.#drop(this.waiting.filter((each) => each.number === number));
    this.running = this.running.filter((each) => each.number !== number);
    this.admit();
  }

  admit(): void {
    for (;;) {
      const next = this.waiting.find((each) => this.#fits(each));
      if (!next) return;
      this.waiting = this.waiting.filter((each) => each !== next);
      this.running.push(next);
    }
  }

  #fits({ key }: Waiter): boolean {
    return (
      this.running.length < this.limits.concurrency &&
      (key === undefined || this.running.every((each) => each.key !== key))
    );
  }

  #drop(gone: readonly Waiter[]): void {
    this.waiting = this.waiting.filter((each) => !gone.includes(each));
    this.dropped.push(...gone.map(({ number }) => number));
  }
}

const action = fc.oneof(
  fc.record({
    do: fc.constantFrom("enter" as const, "reenter" as const),
    key: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
  }),
  fc.record({ do: fc.constant("leave" as const), number: fc.nat({ max: 60 }) }),
  fc.record({
    do: fc.constant("limit" as const),
    concurrency: fc.integer({ min: 1, max: 5 }),
    queue: fc.nat({ max: 5 }),
    overflow: fc.constantFrom("refuse" as const, "drop_oldest" as const, "keep_latest" as const),
  }),
);

test("any sequence of actions runs the same as the model", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 80 }), async (actions) => {
      const model = new Model();
      const tested = new ConcurrencyQueue(model.limits);
      const slots: Array<Slot | undefined> = [];
      const turns: string[] = [];
      for (const each of actions) {
        if (each.do === "limit") {
          const { concurrency, queue, overflow } = each;
          model.limits = { concurrency, queue, overflow };
          tested.limits = model.limits;
          model.admit();
        } else if (each.do === "leave") {
          if (each.number < slots.length) model.leave(each.number);
          slots[each.number]?.leave();
        } else {
          const number = slots.length;
          const again = each.do === "reenter";
          model.enter({ number, key: each.key }, again);
          const slot = again ? tested.reacquire(each.key) : tested.acquire(each.key);
          slots.push(slot);
          turns[number] = slot ? "waiting" : "refused";
          void slot?.turn.then((turn) => {
            turns[number] = turn;
          });
        }
        await new Promise(setImmediate);
        t.deepEqual([tested.running, tested.waiting], [model.running.length, model.waiting.length]);
        for (const { number } of model.running) t.is(turns[number], "go");
        for (const { number } of model.waiting) t.is(turns[number], "waiting");
        for (const number of model.dropped) t.is(turns[number], "dropped");
        for (const number of model.refused) t.is(turns[number], "refused");
      }
      for (const slot of slots) slot?.leave();
      await tested.empty();
      t.is(tested.running + tested.waiting, 0);
    }),
  );
});
