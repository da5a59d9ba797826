import test from "ava";
import type { LogLine } from "../../../daemon/http/control/api.js";
import { noLogs, withAnswer } from "./logs.js";

const line = (sequence: number): LogLine => ({
  ...{ sequence, at: sequence, level: "info", message: `line ${sequence}`, fields: {} },
});
const numbers = ({ lines }: { readonly lines: readonly LogLine[] }) =>
  lines.map(({ sequence }) => sequence);

test("what comes is joined to what is known, the newest first", (t) => {
  const first = withAnswer(noLogs, { boot: "a", lines: [line(1), line(2)] });
  const second = withAnswer(first, { boot: "a", lines: [line(3)] });
  t.deepEqual(numbers(second), [3, 2, 1]);
  t.is(second.sequence, 3);
  t.is(withAnswer(second, { boot: "a", lines: [] }), second, "the same while nothing comes");
  t.is(withAnswer(second, { boot: "a", lines: [line(3)] }), second, "a line is there once");
});

test("another daemon has a log of its own", (t) => {
  const before = withAnswer(noLogs, { boot: "a", lines: [line(7)] });
  t.deepEqual(numbers(withAnswer(before, { boot: "b", lines: [line(1)] })), [1]);
  t.deepEqual(numbers(withAnswer(before, { boot: "b", lines: [] })), []);
});

test("old lines are dropped", (t) => {
  const many = Array.from({ length: 5000 }, (_, index) => line(index + 1));
  const known = withAnswer(noLogs, { boot: "a", lines: many });
  t.true(known.lines.length < 5000);
  t.is(known.lines[0]?.sequence, 5000);
});
