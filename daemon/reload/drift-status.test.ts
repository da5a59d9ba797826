import test from "ava";
import { DriftStatus } from "./drift-status.js";

test("the first difference says since when, the last one why; each change is reported", (t) => {
  const reported: (number | undefined)[] = [];
  const drift = new DriftStatus((since) => reported.push(since));
  t.is(drift.degraded, undefined);
  t.is(drift.staleSince, undefined);
  drift.differs("first", 10);
  drift.differs("second", 20);
  t.deepEqual(drift.degraded, { reason: "second", since: 10 });
  t.is(drift.staleSince, 10);
  drift.agrees();
  t.is(drift.degraded, undefined);
  t.is(drift.staleSince, undefined);
  drift.differs("third", 30);
  t.deepEqual(drift.degraded, { reason: "third", since: 30 });
  t.deepEqual(reported, [10, 10, undefined, 30]);
});
