/** Settings files as texts: every fault at once, each with the right caret; what is right means what the usual readers say. */
import test from "ava";
import fc from "fast-check";
import json5 from "json5";
import { runs } from "../../../tests/support/runs.js";
import type { JsonDialect } from "./dialect.js";
import { lineAndColumn } from "./finding.js";
import { parseFile, parseText } from "./read.js";
import { plainJsonValue } from "./tree.js";

/** Faults as `line:column message`. */
const faults = (text: string, dialect: JsonDialect = "json"): readonly string[] =>
  parseText(text, dialect).findings.map(({ message, span }) => {
    const { line, column } = lineAndColumn(text, span?.start ?? 0);
    return `${line}:${column} ${message}`;
  });

const finds = test.macro({
  exec(t, text: string, expected: readonly string[], dialect: JsonDialect = "json") {
    t.deepEqual(faults(text, dialect), expected);
  },
  title: (name, text) => name || JSON.stringify(text),
});

test(
  "nothing is wrong with what is right",
  finds,
  '{"a": [1, -2.5e3, "x\\n\\u00e9"], "b": null}',
  [],
);
test(finds, "", ["1:1 the file is empty"]);
test(finds, "  \n ", ["2:2 the file is empty"]);
test(finds, '{"a": 1,}', ["1:8 JSON has no comma after the last one"]);
test(finds, '{"a": [1,]}', ["1:9 JSON has no comma after the last one"]);
test(finds, '{"a" 1}', ["1:6 a colon is missing after `a`"]);
test(finds, '{"a"}', ["1:5 a colon is missing after `a`"]);
test(finds, '{"a": }', ["1:7 a value is missing"]);
test(finds, '{"a": 1 "b": 2}', ["1:8 a comma is missing"]);
test(finds, '{"a": 1,, "b": 2}', ["1:9 a comma without anything before it"]);
test(finds, "{a: 1}", ["1:2 a key needs double quotes"]);
test(finds, "{1: 1}", ["1:2 a key must be a string"]);
test(finds, '{"a": yes}', ["1:7 `yes` is not a value"]);
test(finds, '{"a": True}', ["1:7 `True` is not a value"]);
test(finds, '{"a": 01}', ["1:7 `01` is not a number"]);
test(finds, '{"a": +1}', ["1:7 JSON does not write numbers like `+1`"]);
test(finds, '{"a": 0x1F}', ["1:7 JSON does not write numbers like `0x1F`"]);
test(finds, '{"a": NaN}', ["1:7 JSON has no `NaN`"]);
test(finds, '{"a": "x}', ["1:7 this string is not closed on its line", "1:10 `}` is missing"]);
test(finds, '{"a": "\\q"}', ["1:8 JSON has no escape `\\q`"]);
test(finds, '{"a": "\\u12"}', ["1:8 after `\\u` there must be 4 hexadecimal digits"]);
test(finds, '{"a": "\t"}', ["1:8 a control character in a string is written as `\\t`"]);
test(finds, '{"a": 1', ["1:8 `}` is missing"]);
test(finds, '{"a": [1}', ["1:9 `]` is missing: there is `}` instead"]);
test(finds, '{"a": 1]}', ["1:8 this bracket closes nothing"]);
test(finds, '{"a": 1} x', ["1:10 there is more after the end of the value"]);
test(finds, '// hi\n{"a": 1 /* x */}', ["1:1 JSON has no comments"]);
test(finds, "{'a': 1}", ["1:2 JSON has only double quotes"]);
test(finds, '{"a": 1, "a": 2, "a": 3}', ["1:10 `a` is set twice", "1:18 `a` is set twice"]);
test("tabs, CR LF and emoji count as editors count them", finds, '{\r\n\t"😀": 1 "b": 2\r\n}', [
  "2:9 a comma is missing",
]);
test(
  "every fault of a file in one run",
  finds,
  '{\n  "a": tru,\n  b: 01\n  "c": [1 2],\n  "d": "\\x",\n}',
  [
    "2:8 `tru` is not a value",
    "3:3 a key needs double quotes",
    "3:6 `01` is not a number",
    "3:8 a comma is missing",
    "4:10 a comma is missing",
    "5:9 JSON has no escape `\\x`",
    "5:12 JSON has no comma after the last one",
  ],
);
test("JSON with comments", finds, '// a\n{"a": 1, /* b */}', [], "jsonc");
test(
  "JSON with comments has no single quotes",
  finds,
  "{'a': 1}",
  ["1:2 JSON has only double quotes"],
  "jsonc",
);
test(
  "JSON5",
  finds,
  "// a\n{a: 'x', $b: .5, \"c\": +0x1F, d: -Infinity, e: 'two \\\nlines',}",
  [],
  "json5",
);
test(
  "JSON5, too, has faults",
  finds,
  "{a: 'x' b: 08, c: '\\1'}",
  ["1:8 a comma is missing", "1:12 `08` is not a number", "1:20 JSON5 has no escape `\\1`"],
  "json5",
);

test("what cannot be a text at all is one fault", (t) => {
  const bytes = Buffer.concat([
    Buffer.from('{"a": "'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  t.like(parseFile(bytes, "json").findings, [{ code: "encoding", span: { start: 7 } }]);
  const marked = parseFile(Buffer.from('\ufeff{"a": 1,}'), "json");
  t.deepEqual(
    marked.findings.map(({ code, span }) => [code, span?.start]),
    [
      ["byte_order_mark", 0],
      ["trailing_comma", 7],
    ],
  );
});

test("a hundred thousand levels are one fault, and nothing overflows", (t) => {
  const deep = `{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  t.deepEqual(faults(deep), ["1:206 the file is nested deeper than 200 levels"]);
  t.deepEqual(faults(`{"a": "${"[".repeat(1000)}"}`), []);
});

test("a key called __proto__ is a key and nothing more", (t) => {
  const { root } = parseText('{"__proto__": {"polluted": true}}', "json");
  const value = root && (plainJsonValue(root) as Record<string, unknown>);
  t.deepEqual(Object.keys(value ?? {}), ["__proto__"]);
  t.is(value?.polluted, undefined);
  t.is(Object.getPrototypeOf(value), Object.prototype);
});

test("what JSON.stringify writes is read as the same value", (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const { root, findings } = parseText(text, "json");
      t.deepEqual(findings, []);
      t.deepEqual(root && plainJsonValue(root), JSON.parse(text));
    }),
  );
});

test("what json5 writes is read as the same value", (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = json5.stringify(value, undefined, 1);
      const { root, findings } = parseText(text, "json5");
      t.deepEqual(findings, []);
      t.deepEqual(root && plainJsonValue(root), json5.parse(text));
    }),
  );
});

test("a text is refused exactly when the usual reader refuses it, unless a key is there twice", (t) => {
  const pieces = fc.constantFrom(
    ..."{}[]:,\"'\\/ \n\t-+.0159eE".split(""),
    "true",
    "null",
    "a",
    "//",
    "/*",
    "*/",
    '"a"',
    "'b'",
    "\\u0041",
    "NaN",
  );
  const agree = (dialect: JsonDialect, parse: (text: string) => unknown) =>
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      let accepted = true;
      try {
        parse(text);
      } catch {
        accepted = false;
      }
      const findings = parseText(text, dialect).findings.filter(({ code }) => code !== "duplicate");
      t.is(findings.length === 0, accepted, `${JSON.stringify(text)} ${JSON.stringify(findings)}`);
    });
  fc.assert(agree("json", JSON.parse), { numRuns: runs(200, 3000) });
  fc.assert(agree("json5", json5.parse), { numRuns: runs(200, 3000) });
});

test("the own reader finds a place for every fault that the usual ones see", (t) => {
  const mutate = fc
    .tuple(
      fc.jsonValue({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom("", ",", ":", "}", "]", '"', "x"),
    )
    .map(([value, at, sign]) => {
      const text = JSON.stringify({ value });
      const position = at % text.length;
      return text.slice(0, position) + sign + text.slice(position + 1);
    });
  fc.assert(
    fc.property(mutate, (text) => {
      const { findings } = parseText(text, "json");
      t.false(
        findings.some(({ message }) => message.startsWith("the file is not valid")),
        text,
      );
      for (const { span } of findings) t.true((span?.end ?? 0) <= text.length);
    }),
    { numRuns: runs(100, 1000) },
  );
});
