import test from "ava";
import fc from "fast-check";
import { runs } from "../tests/support/runs.js";
import { anyText } from "../tests/support/text.js";
import { parse, parseExpression } from "./parse.js";
import { LIMITS } from "./reading/limits.js";
import { SyntaxReader } from "./reading/syntax-reader.js";
import { parse as readFile } from "./reeve.peggy.js";
import { mutations } from "./testing/mutations.js";
import { expression, outline } from "./testing/outline.js";
import { faultyTexts, firstValue, PATIENCE, read, validTexts } from "./testing/texts.js";
import type { Span } from "./tree.js";

// ---------------------------------------------------------------- any text

/** Text that is likelier than chance to mean something. */
const pieces = fc.constantFrom(
  ...[
    '"',
    '"""',
    "${",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    "\n",
    "\r",
    "\r\n",
    'r"',
    're"',
    "/-",
    "#",
    "\\",
  ],
  ...[
    "=",
    "==",
    "&&",
    "?",
    ":",
    ",",
    ";",
    "for",
    "in",
    "if",
    "else",
    "let",
    "x",
    "10m",
    " ",
    ".",
    "-",
  ],
  ...["\0", "\ud800", "\ufeff", "é", "日", "\u{1f600}"],
);
const soup = fc.oneof(
  anyText(),
  fc.array(pieces).map((each) => each.join("")),
);

test("any text at all gives a tree, and places within the text", (t) => {
  t.timeout(PATIENCE);
  fc.assert(
    fc.property(soup, (text) => {
      const { tree, diagnostics } = parse({ path: "x", text });
      const within = ({ start, end }: Span) => start >= 0 && start <= end && end <= text.length;
      return (
        tree.kind === "file" && diagnostics.every(({ location }) => location && within(location))
      );
    }),
    { numRuns: runs(200, 2000) },
  );
  t.pass();
});

test("whatever was damaged, nothing is left open at the end", (t) => {
  t.timeout(PATIENCE);
  const texts = [...validTexts, ...faultyTexts].map(({ text }) => text);
  for (const text of mutations(texts, 1000)) {
    const reader = new SyntaxReader(text, { lines: "separate", byIndentation: false });
    readFile(text, { startRule: "part", reader, from: 0, until: text.length + 1 });
    t.is(reader.depth, 0, text);
  }
});

test("any text at all gives an expression", (t) => {
  t.timeout(PATIENCE);
  fc.assert(
    fc.property(soup, (text) => {
      const { expression, diagnostics } = parseExpression({ path: "x", text });
      return expression.end <= text.length && (text.trim() !== "" || diagnostics.length === 1);
    }),
    { numRuns: runs(200, 2000) },
  );
  t.pass();
});

// ---------------------------------------------------------------- places

/** Calls back for every node and the node around it. */
function walk(
  node: unknown,
  context: Span,
  visit: (node: Span & object, context: Span) => void,
): void {
  if (typeof node !== "object" || node === null) return;
  const isNode = "start" in node && "end" in node;
  if (isNode) visit(node as Span & object, context);
  const next = isNode ? (node as Span) : context;
  for (const [key, child] of Object.entries(node)) if (key !== "doc") walk(child, next, visit);
}

for (const { name, text } of [...validTexts, ...faultyTexts]) {
  test(`every node of ${name} stands inside of the node it belongs to`, (t) => {
    const { tree } = read(text);
    walk(tree, tree, (node, context) => {
      t.true(node.start <= node.end && node.start >= context.start && node.end <= context.end);
    });
  });
}

for (const { name, text } of validTexts) {
  test(`names in ${name} stand where they say`, (t) => {
    walk(read(text).tree, { start: 0, end: text.length }, (node) => {
      if (!("kind" in node) || node.kind !== "name" || !("text" in node)) return;
      const written = text.slice(node.start, node.end).replace(/^[(\s]+|[)\s]+$/g, "");
      t.is(written, String(node.text));
    });
    t.pass();
  });
}

test("a regular expression knows where its source begins", (t) => {
  const text = 'a = re"^x"i';
  const value = firstValue(text);
  t.is(value.kind === "regex" && text.slice(value.sourceStart, value.sourceStart + 2), "^x");
});

test("an expression in parentheses begins and ends with them", (t) => {
  t.like(firstValue("a = (b + c) * d"), { start: 4, end: 15, left: { start: 4, end: 11 } });
});

// ---------------------------------------------------------------- encodings

const withEnds = (text: string, end: string) => text.replaceAll("\n", end);
for (const { name, text } of [...validTexts, ...faultyTexts]) {
  test(`${name} means the same with CRLF, with CR and behind a byte order mark`, (t) => {
    const { tree, codes } = read(text);
    for (const other of [withEnds(text, "\r\n"), withEnds(text, "\r"), `\ufeff${text}`]) {
      const again = read(other);
      t.is(outline(again.tree), outline(tree));
      t.deepEqual(again.codes, codes);
    }
  });
}

test("indentation never matters, except in block strings", (t) => {
  for (const { name, text } of validTexts) {
    if (text.includes('"""')) continue;
    t.is(outline(read(text.replace(/^[ \t]+/gm, "")).tree), outline(read(text).tree), name);
    t.deepEqual(read(text.replace(/^[ \t]+/gm, "")).codes, [], name);
  }
});

test("lone surrogates are text in a string and a mistake outside", (t) => {
  t.is(expression(firstValue('a = "\ud800"')), '"\\ud800"');
  t.deepEqual(read("a = \ud800").codes, ["E025"]);
});

test("a NUL is text in a string and a mistake outside", (t) => {
  t.deepEqual(read('a = "\0"').codes, []);
  t.deepEqual(read("a = \0").codes, ["E025"]);
});

// ---------------------------------------------------------------- size

test("a file of exactly 1 MiB is read", (t) => {
  const line = "a = 1\n";
  const text = line.repeat(LIMITS.bytes / line.length).padEnd(LIMITS.bytes, "#");
  t.deepEqual(read(text).codes, []);
});

test("one byte more is refused before it is read", (t) => {
  const { tree, codes } = read(`${"#".repeat(LIMITS.bytes)}\n`);
  t.deepEqual(codes, ["E040"]);
  t.deepEqual(tree.items, []);
});

test("size is counted in bytes of UTF-8", (t) => {
  t.deepEqual(read(`# ${"é".repeat(LIMITS.bytes / 2)}`).codes, ["E040"]);
  t.deepEqual(read(`# ${"é".repeat(LIMITS.bytes / 2 - 1)}`).codes, []);
});

test("ten megabytes of brackets are refused at once", (t) => {
  t.deepEqual(read("[".repeat(10_000_000)).codes, ["E040"]);
  const { diagnostics } = parseExpression({ path: "x", text: "(".repeat(10_000_000) });
  t.deepEqual(
    diagnostics.map(({ code }) => code),
    ["E040"],
  );
});

// ---------------------------------------------------------------- expressions alone

const alone: ReadonlyArray<readonly [text: string, outline: string, codes: readonly string[]]> = [
  ["1h30m", "5400000ms", []],
  [" payload.ref ==\n  let.ref # why\n", "(== (member payload ref) (member let ref))", []],
  ["\ufeff[1, 2]", "[1 2]", []],
  ["", "(bad)", ["E013"]],
  ["a b", "(bad)", ["E005"]],
  ["a = 1", "(bad)", ["E033"]],
  ["1 +", "(+ 1 (bad))", ["E031"]],
  ["a\nb = 1", "(bad)", ["E005"]],
  ["10 m", "(bad)", ["E027"]],
  ["[1, 2", "[1 2]", ["E004"]],
];
for (const [text, shown, codes] of alone) {
  test(`${JSON.stringify(text)} alone is ${shown}`, (t) => {
    const read = parseExpression({ path: "x", text });
    t.is(expression(read.expression), shown);
    t.deepEqual(
      read.diagnostics.map(({ code }) => code),
      codes,
    );
  });
}
