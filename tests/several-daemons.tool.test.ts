/** Three daemons share one database and one folder of repositories: whatever happens to one of them, no update is lost, half or twice. */
import ava from "ava";
import { outage } from "./several/outage.js";
import { needs, postgres } from "./support/needs.js";

const test = needs(ava, postgres);

test("one is killed and one cut off for longer than its lease; then each is restarted while a release comes in", async (t) => {
  t.timeout(120_000);
  await outage(t, { count: 12, lease: "3s", cutOffFor: 9_000 });
});
