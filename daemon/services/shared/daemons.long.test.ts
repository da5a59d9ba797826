/** A long outage: the short one is in daemons.tool.test.ts. */
import ava from "ava";
import { needs, postgres } from "../../../tests/support/needs.js";
import { outage } from "../testing/outage.js";

const test = needs(ava, postgres);

test("a thousand jobs, one daemon killed and one cut off for half a minute: each has its effect once, and never two are at it", async (t) => {
  t.timeout(300_000);
  await outage(t, { jobs: 1000, more: 300, lease: 8000, cutOffFor: 30_000 });
});
