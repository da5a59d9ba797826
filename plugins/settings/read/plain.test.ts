import test from "ava";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import { plainJson } from "./plain.js";
import { parseText } from "./read.js";
import { plainJsonValue } from "./tree.js";

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

for (const [what, text, value] of [
  ["an object", '{"a": {"b": [1, {"c": null}]}}', { a: { b: [1, { c: null }] } }],
  ["colons and brackets in strings", '{"a:[": ":\\":{", "b": "\\\\"}', { "a:[": ':":{', b: "\\" }],
  ["200 levels", deep(200), JSON.parse(deep(200))],
] as const) {
  test(`${what}: read at once`, (t) => t.deepEqual(plainJson(text), value));
}

test("a key named __proto__ is a key", (t) => {
  t.is(JSON.stringify(plainJson('{"__proto__": {"a": 1}}')), '{"__proto__":{"a":1}}');
});

for (const [what, text] of [
  ["a key twice", '{"a": 1, "b": 2, "a": 3}'],
  ["a key twice, written in two ways", '{"a": 1, "\\u0061": 2}'],
  ["a key twice further in", '[{"a": {"b": 1, "b": 1}}]'],
  ["__proto__ twice", '{"__proto__": 1, "__proto__": 2}'],
  ["a comment", '{"a": 1} // one'],
  ["a comma too many", '{"a": 1,}'],
  ["a string without an end", '{"a": "b\\"}'],
  ["201 levels", deep(201)],
  ["nothing", ""],
] as const) {
  test(`${what}: left to the reader that says what is wrong`, (t) => {
    t.is(plainJson(text), undefined);
  });
}

test("what is read at once is what the other reader reads, without a finding", (t) => {
  const piece = fc.constantFrom(..."{}[]:,\"\\'/* \n-1eua", '"a"', '"b":', "null", "\\u0061", "//");
  const texts = fc.oneof(
    fc.json(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const value = plainJson(text);
      const { root, findings } = parseText(text, "json");
      if (value !== undefined) {
        t.deepEqual(findings, []);
        t.deepEqual(JSON.stringify(root && plainJsonValue(root)), JSON.stringify(value));
      } else t.true(findings.length > 0, text);
    }),
    { numRuns: runs(200, 2_000) },
  );
});
