import test from "ava";
import { MemoryTrimmer, ownMemory } from "./memory-trimmer.js";

const MIB = 1024 * 1024;

/** Memory whose heap shrinks to 20 MiB, and a clock of the event loop: `after(active, idle, size)` is the next look. */
function world() {
  const times: string[] = [];
  let size = 30 * MIB;
  let active = 100;
  let idle = 0;
  const memory = {
    heapSize: () => size,
    shrinkHeap: () => {
      times.push(`${size / MIB}`);
      size = 20 * MIB;
      active += 100;
    },
    release: () => {
      times.push("release");
    },
  };
  const rest = new MemoryTrimmer(memory, () => ({ active, idle, utilization: 0 }));
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
  t.deepEqual(after(10, 15_000), ["60", "release"]);
  t.deepEqual(after(10, 15_000, 60), [], "it has just been done");
  for (let look = 0; look < 38; look += 1) t.deepEqual(after(10, 15_000, 60), []);
  t.deepEqual(after(10, 15_000), ["60", "release"], "ten minutes later");
  for (let look = 0; look < 40; look += 1) t.deepEqual(after(10, 15_000), [], "nothing since");
  t.deepEqual(after(10, 15_000, 27), [], "too little to stop anybody for");
  t.deepEqual(after(200, 15_000, 28), ["28", "release"], "some work, but hardly any");
});

test("while there is work nothing stops it", (t) => {
  const { after } = world();
  for (let look = 0; look < 5; look += 1) t.deepEqual(after(400, 15_000, 200), []);
});

test("what has been freed outside of the heap is returned after the start, and after a second of work", (t) => {
  const { after } = world();
  t.deepEqual(after(400, 15_000, 7), [], "the start goes on");
  t.deepEqual(after(10, 15_000), ["release"]);
  for (let look = 0; look < 4; look += 1) t.deepEqual(after(200, 15_000), []);
  t.deepEqual(after(200, 15_000), ["release"], "a little work, for long");
  t.deepEqual(after(1200, 14_000), [], "busy");
  t.deepEqual(after(0, 15_000), ["release"]);
  t.deepEqual(after(0, 15_000), []);
});

test("the heap of a process takes less of the machine afterwards", (t) => {
  const memory = ownMemory();
  let kept: unknown[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  const before = memory.heapSize();
  t.is(kept.length, 500_000);
  kept = undefined;
  memory.shrinkHeap();
  t.true(memory.heapSize() < before - 8 * MIB, `${memory.heapSize()} of ${before}`);
});
