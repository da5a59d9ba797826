/** A long outage and many repositories: the short one is in several-daemons.tool.test.ts. */
import ava from "ava";
import { outage } from "./several/outage.js";
import { needs, postgres } from "./support/needs.js";

const test = needs(ava, postgres);

test("one is killed and one cut off for half a minute; then each is restarted while a release comes in", async (t) => {
  t.timeout(300_000);
  await outage(t, { count: 48, lease: "10s", cutOffFor: 30_000 });
});
