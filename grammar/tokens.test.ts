import test from "ava";
import fc from "fast-check";
import { runs } from "../tests/support/runs.js";
import { anyText } from "../tests/support/text.js";
import { mutations } from "./testing/mutations.js";
import { PATIENCE, read, validTexts } from "./testing/texts.js";
import { tokenize } from "./tokens.js";
import type { Span } from "./tree.js";

/** The text put together again: tokens as they are, and only blanks between them. */
function rebuilt(text: string): string {
  let result = "";
  let end = 0;
  for (const token of tokenize({ path: "x", text })) {
    const between = text.slice(end, token.start);
    if (!/^\ufeff?[ \t]*$/.test(between) || token.end <= token.start) return "(not lossless)";
    result += between + text.slice(token.start, token.end);
    end = token.end;
  }
  return result + (/^\ufeff?[ \t]*$/.test(text.slice(end)) ? text.slice(end) : "(not lossless)");
}

test("the tokens of any text and the blanks between them are the text", (t) => {
  t.timeout(PATIENCE);
  const pieces = fc.constantFrom(
    '"',
    '"""',
    "${",
    "}",
    "\n",
    "\r",
    "#",
    "\\",
    " ",
    "x",
    "1",
    'r"',
    "=",
  );
  const soup = fc.oneof(
    anyText(),
    fc.array(pieces).map((p) => p.join("")),
  );
  fc.assert(
    fc.property(soup, (text) => {
      t.is(rebuilt(text), text);
    }),
    { numRuns: runs(200, 2000) },
  );
});

test("the tokens of damaged texts are lossless too", (t) => {
  t.timeout(PATIENCE);
  const texts = validTexts.map(({ text }) => text);
  for (const text of mutations(texts, 1000)) t.is(rebuilt(text), text);
});

test("tokens have distinct kinds", (t) => {
  const text = '## doc\n/- a = "x${y}" # c\nb <= re"z"i ?? 0x1F€';
  const kinds = tokenize({ path: "x", text }).map(
    ({ kind, start, end }) => `${kind} ${JSON.stringify(text.slice(start, end))}`,
  );
  t.deepEqual(kinds, [
    'doc "## doc"',
    'newline "\\n"',
    'punctuation "/-"',
    'name "a"',
    'punctuation "="',
    'string "\\"x${y}\\""',
    'comment "# c"',
    'newline "\\n"',
    'name "b"',
    'punctuation "<="',
    'regex "re\\"z\\"i"',
    'punctuation "??"',
    'number "0x1F"',
    'unknown "€"',
  ]);
});

test("a string names the places of its holes, which can be cut into tokens of their own", (t) => {
  const text = 'a = "x ${b} y ${f("z")}"';
  const [string] = tokenize({ path: "x", text }).filter(({ kind }) => kind === "string");
  const interpolations = string?.interpolations?.map(({ start, end }) => text.slice(start, end));
  t.deepEqual(interpolations, ["${b}", '${f("z")}']);
});

test("CRLF is one line end", (t) => {
  const kinds = tokenize({ path: "x", text: "a\r\nb\rc\n" }).map(({ kind }) => kind);
  t.deepEqual(kinds, ["name", "newline", "name", "newline", "name", "newline"]);
});

/** Places of everything in a tree that is one token. */
function leaves(node: unknown): readonly Span[] {
  if (typeof node !== "object" || node === null) return [];
  const kind = "kind" in node ? String(node.kind) : "";
  const atomic = ["name", "number", "duration", "size", "percent", "regex", "string", "template"];
  if (atomic.includes(kind)) return [node as Span];
  return Object.values(node).flatMap(leaves);
}

for (const { name, text } of validTexts) {
  test(`tokens and tree agree on where things stand in ${name}`, (t) => {
    const tokens = tokenize({ path: "x", text });
    const starts = new Set(tokens.map(({ start }) => start));
    const ends = new Set(tokens.map(({ end }) => end));
    for (const { start, end } of leaves(read(text).tree)) {
      t.true(starts.has(start) && ends.has(end), text.slice(start, end));
    }
    t.pass();
  });
}
