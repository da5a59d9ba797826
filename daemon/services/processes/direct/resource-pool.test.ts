import test from "ava";
import { ResourcePool } from "./resource-pool.js";

test("no more are made than there may be, and only when they are wanted", async (t) => {
  let made = 0;
  const slots = new ResourcePool(2, () => {
    made += 1;
    return made;
  });
  t.is(made, 0);
  const first = await slots.take();
  slots.give(first);
  t.is(await slots.take(), first);
  t.is(made, 1);
  await slots.take();
  t.is(made, 2);
});

test("who comes first is served first", async (t) => {
  const slots = new ResourcePool(1, () => "slot");
  const served: number[] = [];
  const work = async (who: number): Promise<void> => {
    const slot = await slots.take();
    served.push(who);
    slots.give(slot);
  };
  const slot = await slots.take();
  const all = Promise.all([1, 2, 3].map(work));
  t.deepEqual(served, []);
  slots.give(slot);
  await all;
  t.deepEqual(served, [1, 2, 3]);
});
