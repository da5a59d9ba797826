import test from "ava";
import type { Explanation } from "reeve/plugin";
import { explainFalse } from "./explain-false.js";

const node = (text: string, outcome: string, ...parts: Explanation[]): Explanation => ({
  text,
  outcome,
  parts,
});
const ref = node("payload.ref", '"wip"');
const isMain = node('payload.ref == "main"', "false", ref);
const isPush = node('method == "POST"', "true", node("method", '"POST"'));

const cases: ReadonlyArray<readonly [title: string, explanation: Explanation, why: string]> = [
  ["one comparison", isMain, '`payload.ref == "main"` is false: `payload.ref` is "wip"'],
  [
    "the part of `&&` that decided",
    node("a && b", "false", isPush, isMain),
    '`payload.ref == "main"` is false: `payload.ref` is "wip"',
  ],
  [
    "all parts of `||`, each value once",
    node("a || b", "false", isMain, node("payload.ref =~ x", "false", ref)),
    '`a || b` is false: `payload.ref` is "wip"',
  ],
  ["a negation", node("!(x)", "false", isPush), '`!(x)` is false: `method` is "POST"'],
  ["a value that is false by itself", node("payload.go", "false"), "`payload.go` is false"],
];
for (const [title, explanation, why] of cases) {
  test(`${title} is named with what it looked at`, (t) => {
    t.is(explainFalse(explanation), why);
  });
}

test("however long the values are, it is one short line", (t) => {
  t.true(explainFalse(node("x".repeat(10_000), "false")).length < 500);
});
