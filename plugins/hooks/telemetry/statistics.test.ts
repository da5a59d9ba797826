import test from "ava";
import { HookStatistics } from "./statistics.js";

test("percentiles are of the latest runs", (t) => {
  const statistics = new HookStatistics();
  t.is(statistics.percentile(0.5), undefined);
  for (let duration = 1; duration <= 100; duration += 1) statistics.took(duration);
  t.is(statistics.percentile(0.5), 50);
  t.is(statistics.percentile(0.95), 95);
  for (let more = 0; more < 1000; more += 1) statistics.took(7);
  t.is(statistics.percentile(0.95), 7);
});
