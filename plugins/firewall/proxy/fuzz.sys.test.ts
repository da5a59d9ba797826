/**
 * For any input of a client: nothing throws, hangs or stays open, only allowed destinations are reached, an origin
 * gets exactly one well-formed request for itself, and log lines parse as intended. `npm run fuzz` tries a million
 * inputs of each kind; this test tries fewer, always the same.
 */
import test from "ava";
import { runs } from "../../../tests/support/runs.js";
import { fuzz } from "../testing/fuzz/fuzz.js";

const reached = {
  hello: [],
  http: [101, 200, 204, 400, 403, 502, 503],
  http2: [200, 400, 403],
};
for (const [what, inputs, network] of [
  ["hello", runs(10_000, 100_000), false],
  ["http", runs(6000, 50_000), false],
  ["http", runs(400, 3000), true],
  ["http2", runs(60, 400), true],
] as const) {
  test(`${inputs} inputs of ${what}${network ? " by real connections" : ""}`, async (t) => {
    t.timeout(10 * 60_000);
    const { found, statuses } = await fuzz({ what, seed: 7, from: 0, inputs, network });
    t.deepEqual(found, []);
    // Otherwise the inputs miss their targets.
    const recorded = new Set(statuses.map(([status]) => status));
    t.true(reached[what].every((status) => recorded.has(status)));
  });
}
