import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../tests/support/text.js";
import { MAX_DEPTH, readJson } from "./json.js";

const values: ReadonlyArray<readonly [title: string, text: string, value: unknown]> = [
  ["an object", '{"a":[1,2.5,"x",true,null]}', { a: [1, 2.5, "x", true, null] }],
  ["a list", "[1]", [1]],
  ["a scalar", "7", 7],
  ["blanks around it", ' \n{"a":1}\t', { a: 1 }],
  ["a repeated name: the last one counts", '{"a":1,"a":2}', { a: 2 }],
  ["a whole number that a double holds", "9007199254740991", 9007199254740991],
  ["a whole number that it does not hold", "[12345678901234567890]", ["12345678901234567890"]],
  ["a number beyond everything", "[1e400, -1e400]", ["1e400", "-1e400"]],
  ["an exponent", "[1e3, 1e-7, 1E+100]", [1000, 1e-7, 1e100]],
  ["a number beyond everything at the end", "1e400", "1e400"],
  ["a hash that looks like an exponent", '["4e400", 1]', ["4e400", 1]],
  ["the deepest nesting that is allowed", `${"[".repeat(100)}${"]".repeat(100)}`, nested(100)],
  ["a long fraction", "[0.12345678901234566]", [0.12345678901234566]],
  ["digits in a text", '["12345678901234567890"]', ["12345678901234567890"]],
  ["brackets in a text", `["${"[".repeat(500)}"]`, ["[".repeat(500)]],
  ["escaped quotes and backslashes", String.raw`["\\\"[", "\\"]`, ['\\"[', "\\"]],
];
function nested(depth: number): unknown {
  return depth === 0 ? undefined : depth === 1 ? [] : [nested(depth - 1)];
}

for (const [title, text, value] of values) {
  test(`${title} is read`, (t) => {
    t.deepEqual(readJson(text), { ok: true, value });
  });
}

const faults: ReadonlyArray<readonly [title: string, text: string, message: string]> = [
  ["nothing", "", "The body is empty, not JSON."],
  ["blanks", "  \n", "The body is empty, not JSON."],
  [
    "a wrong word",
    '{\n  "a": tru\n}',
    "The body is not valid JSON at line 2, column 8: unexpected character.",
  ],
  [
    "something behind the value",
    "{} x",
    "The body is not valid JSON at line 1, column 4: unexpected character.",
  ],
  [
    "too many brackets",
    "[".repeat(100_000),
    `The body is not valid JSON at line 1, column ${MAX_DEPTH + 1}: it is nested more than 100 levels deep.`,
  ],
];
for (const [title, text, message] of faults) {
  test(`${title} is refused with its place`, (t) => {
    t.deepEqual(readJson(text), { ok: false, message });
  });
}

test("an object cut off is refused with a place", (t) => {
  const reading = readJson('{"a": [1, 2');
  t.false(reading.ok);
  t.regex(reading.ok ? "" : reading.message, /at line 1, column \d+/);
});

test("`__proto__` is a name like any other", (t) => {
  const reading = readJson('{"__proto__":{"admin":true}, "n": 12345678901234567890}');
  const value = (reading.ok ? reading.value : {}) as Record<string, unknown>;
  t.true(Object.hasOwn(value, "__proto__"));
  t.is(Object.getPrototypeOf(value), Object.prototype);
  t.is((value as { admin?: unknown }).admin, undefined);
});

test("what JSON.parse reads exactly, is read the same; what it refuses, is refused", (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string(), anyText()), (text) => {
      const reading = readJson(text);
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        return !reading.ok && reading.message.endsWith(".");
      }
      return reading.ok && same(reading.value, expected);
    }),
    { numRuns: 500 },
  );
  t.pass();
});

/** The same but for numbers that are kept as text. */
function same(read: unknown, parsed: unknown): boolean {
  if (typeof read === "string" && typeof parsed === "number") return Number(read) === parsed;
  if (typeof read !== "object" || read === null) return Object.is(read, parsed);
  if (typeof parsed !== "object" || parsed === null) return false;
  const names = Object.keys(read);
  return (
    names.length === Object.keys(parsed).length &&
    names.every((name) =>
      same((read as Record<string, unknown>)[name], (parsed as Record<string, unknown>)[name]),
    )
  );
}

test("a number that a double does not hold is found wherever it stands", (t) => {
  for (let before = 0; before < 40; before += 1) {
    const padding = "a".repeat(before);
    t.deepEqual(
      readJson(`["${padding}",9007199254740993,1]`),
      { ok: true, value: [padding, "9007199254740993", 1] },
      `behind ${before} characters`,
    );
  }
});
