import test from "ava";
import { turns as turn, turnsDuring } from "../../tests/support/eventually.js";
import { inTurns } from "./turns.js";

/** Keeps the thread busy for a millisecond. */
function work(): void {
  const end = performance.now() + 1;
  while (performance.now() < end);
}

const items = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

test("items are worked on in order, and the event loop turns in between", async (t) => {
  const seen: number[] = [];
  const turns = await turnsDuring(
    inTurns(items(60), (item) => {
      work();
      seen.push(item);
    }),
  );
  t.deepEqual(seen, items(60));
  t.true(turns >= 10, `${turns}`);
});

test("short works one after the other share the time of a turn", async (t) => {
  async function twenty(): Promise<void> {
    for (let each = 0; each < 20; each += 1) await inTurns(items(3), work);
  }
  // Sixty milliseconds in all, of which none takes longer than a turn may.
  const turns = await turnsDuring(twenty());
  t.true(turns >= 10, `${turns}`);
});

test("works at the same time share the time of a turn, and all of them end", async (t) => {
  const done: number[] = [];
  const turns = await turnsDuring(
    Promise.all(
      items(20).map(async (each) => {
        await inTurns(items(3), work);
        done.push(each);
      }),
    ),
  );
  t.is(done.length, 20);
  t.true(turns >= 2, `${turns}`);
});

test("a promise is awaited before the next item", async (t) => {
  const seen: string[] = [];
  await inTurns(["a", "b"], async (item) => {
    seen.push(`${item} begins`);
    await turn();
    seen.push(`${item} ends`);
  });
  t.deepEqual(seen, ["a begins", "a ends", "b begins", "b ends"]);
});

test("what the work throws ends it", async (t) => {
  const seen: number[] = [];
  const failing = inTurns(items(3), (item) => {
    seen.push(item);
    if (item === 1) throw new Error("no");
  });
  await t.throwsAsync(failing, { message: "no" });
  t.deepEqual(seen, [0, 1]);
});
