import test from "ava";
import type { RunRecord } from "../../daemon/plugin-api/state.js";
import { type Counts, type Delivery, judge, nothing, type Outcome } from "./judge.js";

const delivery: Delivery = { number: 1, text: "abc", status: 202, run: "r" };
const record = (more: Partial<RunRecord>): ReadonlyMap<string, RunRecord> =>
  new Map([["r", { id: "r", state: "succeeded", request: { body: "abc" }, ...more } as RunRecord]]);

const cases: ReadonlyArray<readonly [string, Partial<Outcome>, Partial<Counts>]> = [
  ["a run that ended well", { records: record({}), done: ["1 abc"] }, { ran: 1 }],
  ["a record without its command", { records: record({}) }, { lost: 1 }],
  ["no record", { done: ["1 abc"] }, { lost: 1 }],
  ["no record, and a finding", { findings: 1 }, { named: 1 }],
  ["no record after its directory", { done: ["1 abc"], isForgotten: true }, { ran: 1 }],
  ["another request", { records: record({ request: {} }), done: ["1 abc"] }, { changed: 1 }],
  ["other words", { records: record({}), done: ["1 abd"] }, { changed: 1, ran: 1 }],
  ["two commands", { records: record({}), done: ["1 abc", "1 abc"] }, { ran: 1, twice: 1 }],
  [
    "two commands, and a finding",
    { records: record({}), done: ["1 abc", "1 abc"], findings: 1 },
    { ran: 1, repeated: 1 },
  ],
  [
    "an interrupted run",
    { records: record({ state: "interrupted", startedAt: 1 }) },
    { mayHaveRun: 1 },
  ],
  [
    "one that was interrupted while it waited",
    { records: record({ state: "interrupted" }) },
    { lost: 1 },
  ],
  ["one that still waits", { records: record({ state: "queued" }) }, { lost: 1 }],
];

for (const [what, outcome, counts] of cases) {
  test(`an acknowledged delivery: ${what}`, (t) => {
    const base = { deliveries: [delivery], records: new Map(), done: [], findings: 0 };
    const expected = { ...nothing(), acknowledged: 1, ...counts };
    t.deepEqual(judge({ ...base, isForgotten: false, ...outcome }), expected);
  });
}

test("a delivery without an answer may run; a refused one may not", (t) => {
  const base = { records: new Map(), done: ["1 abc"], findings: 0, isForgotten: false };
  const unanswered = judge({ ...base, deliveries: [{ number: 1, text: "abc" }] });
  t.deepEqual(unanswered, { ...nothing(), refused: 1 });
  const refused = judge({ ...base, deliveries: [{ number: 1, text: "abc", status: 503 }] });
  t.deepEqual(refused, { ...nothing(), refused: 1, ranRefused: 1 });
});
