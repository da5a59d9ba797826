import test from "ava";
import { idMaker } from "./ids.js";

test("ids are in the order in which they were made, whatever the clock does", (t) => {
  let now = 1_800_000_000_000;
  const next = idMaker(() => now);
  const ids: string[] = [];
  for (const step of [0, 0, 1, -5, 0, 1000, -1_000_000, 0]) {
    now += step;
    ids.push(next());
  }
  t.deepEqual([...ids].sort(), ids);
  t.is(new Set(ids).size, ids.length);
  t.true(ids.every((id) => /^[0-9a-hjkmnp-tv-z]{20}$/.test(id)));
});

test("ids go on after the last one there is, also when the clock was set back meanwhile", (t) => {
  const last = idMaker(() => 2_000_000_000_000)();
  t.true(idMaker(() => 1_000_000_000_000, last)() > last);
});

test("a millisecond has room for more ids than anybody makes in it", (t) => {
  const next = idMaker(() => 1_800_000_000_000);
  const ids = Array.from({ length: 40_000 }, next);
  t.deepEqual([...ids].sort(), ids);
});
