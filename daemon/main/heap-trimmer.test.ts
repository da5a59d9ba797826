import test from "ava";
import { HeapTrimmer, ownHeap } from "./heap-trimmer.js";

const MIB = 1024 * 1024;

/** A heap that shrinks to 20 MiB, and a clock of the event loop: `after(active, idle, size)` is the next look. */
function world() {
  const times: string[] = [];
  let size = 30 * MIB;
  let active = 100;
  let idle = 0;
  const heap = {
    size: () => size,
    shrink: () => {
      times.push(`${size / MIB}`);
      size = 20 * MIB;
      active += 100;
    },
  };
  const rest = new HeapTrimmer(heap, () => ({ active, idle, utilization: 0 }));
  const after = (worked: number, rested: number, to?: number): readonly string[] => {
    active += worked;
    idle += rested;
    size = to === undefined ? size : to * MIB;
    rest.look();
    return times.splice(0);
  };
  return { after };
}

test("after a busy time the heap shrinks, once", (t) => {
  const { after } = world();
  t.deepEqual(after(5000, 10_000, 60), [], "busy");
  t.deepEqual(after(10, 15_000), ["60"]);
  t.deepEqual(after(10, 15_000, 60), [], "it has just been done");
  for (let look = 0; look < 38; look += 1) t.deepEqual(after(10, 15_000, 60), []);
  t.deepEqual(after(10, 15_000), ["60"], "ten minutes later");
  for (let look = 0; look < 40; look += 1) t.deepEqual(after(10, 15_000), [], "nothing since");
  t.deepEqual(after(10, 15_000, 27), [], "too little to stop anybody for");
  t.deepEqual(after(200, 15_000, 28), ["28"], "some work, but hardly any");
});

test("while there is work nothing stops it", (t) => {
  const { after } = world();
  for (let look = 0; look < 5; look += 1) t.deepEqual(after(400, 15_000, 200), []);
});

test("the heap of a process takes less of the machine afterwards", (t) => {
  const heap = ownHeap();
  let kept: unknown[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  const before = heap.size();
  t.is(kept.length, 500_000);
  kept = undefined;
  heap.shrink();
  t.true(heap.size() < before - 8 * MIB, `${heap.size()} of ${before}`);
});
