/** Format cases: a text, a line of dashes, the formatted text. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { format, sameMeaning } from "./format.js";
import { outline } from "./testing/outline.js";
import { DASHES, faultyTexts, PATIENCE, read, seeded, validTexts } from "./testing/texts.js";
import { tokenize } from "./tokens.js";

const CASES = "grammar/formatting/cases";

const formatted = (text: string): string => {
  const result = format(text);
  if (result.text === undefined) throw new Error(`refused: ${result.diagnostics[0]?.message}`);
  return result.text;
};

for (const name of readdirSync(CASES).filter((each) => each.endsWith(".reeve"))) {
  test(`layout of ${name.replace(/\.reeve$/, "").replaceAll("-", " ")}`, (t) => {
    const path = join(CASES, name);
    const written = readFileSync(path, "utf8");
    const [before = "", after = ""] = written.split(DASHES);
    const text = formatted(before);
    if (process.env.UPDATE_CASES === "1") writeFileSync(path, `${before}${DASHES}${text}`);
    else t.is(text, after);
    t.is(formatted(text), text);
  });
}

for (const { name, text } of validTexts) {
  test(`${name} keeps its meaning, and formatting it again changes nothing`, (t) => {
    const once = formatted(text);
    t.is(outline(read(once).tree), outline(read(text).tree));
    t.is(formatted(once), once);
  });
}

for (const { name, text } of faultyTexts) {
  test(`${name} has mistakes, so it is not touched and they are told`, (t) => {
    const result = format(text, "main.reeve");
    t.is(result.text, undefined);
    t.is(result.diagnostics?.[0]?.location?.file, "main.reeve");
  });
}

const GAPS = [
  "",
  " ",
  "   ",
  "\t",
  "\n",
  "\n\n\n\n",
  "\n    ",
  " # a comment\n",
  "\n# a comment\n",
];

/** The text with other blanks, line ends and comments between some of its tokens. */
function respaced(text: string, random: (below: number) => number): string {
  const tokens = tokenize({ path: "x", text });
  const every = 1 + random(20);
  return tokens
    .map(({ start, end }, index) => {
      const gap = text.slice(end, tokens[index + 1]?.start ?? text.length);
      const other = random(every) === 0 ? (GAPS[random(GAPS.length)] ?? "") : gap;
      return text.slice(start, end) + other;
    })
    .join("");
}

/** As many differently spaced variants as asked for that still mean something. */
function variants(count: number): readonly string[] {
  const random = seeded(7);
  const found: string[] = [];
  while (found.length < count) {
    const { text = "" } = validTexts[random(validTexts.length)] ?? {};
    const variant = respaced(text, random);
    if (read(variant).codes.length === 0) found.push(variant);
  }
  return found;
}

test("2,000 variants: none loses anything, none changes when formatted again", (t) => {
  t.timeout(PATIENCE);
  let changed = 0;
  for (const text of variants(2000)) {
    const once = formatted(text);
    if (once !== text) changed++;
    if (formatted(once) !== once) t.is(formatted(once), once, text);
  }
  t.true(changed > 1000);
});

test("blanks inside of lines never matter", (t) => {
  const random = seeded(11);
  const blanks = [" ", "  ", "\t", " \t "];
  for (const { text } of validTexts) {
    const tokens = tokenize({ path: "x", text });
    const variant = tokens
      .map(({ start, end }, index) => {
        const gap = text.slice(end, tokens[index + 1]?.start ?? text.length);
        return text.slice(start, end) + (gap === "" ? "" : blanks[random(blanks.length)]);
      })
      .join("");
    t.is(formatted(variant), formatted(text));
  }
});

test("line ends become LF and a byte order mark goes, in block strings too", (t) => {
  const text = 'a = 1\nb = """\n  x\n  """\n';
  t.is(formatted(`\ufeff${text.replaceAll("\n", "\r\n")}`), text);
  t.is(formatted(text.replaceAll("\n", "\r")), text);
});

test("no line of the result ends with a blank, except in strings", (t) => {
  for (const { text } of validTexts) {
    if (text.includes('"""')) continue;
    t.notRegex(formatted(text), /[ \t]$/m);
  }
});

test("an empty text stays empty, a text of comments keeps them", (t) => {
  t.is(formatted(""), "");
  t.is(formatted(" \n\n"), "");
  t.is(formatted("# a\n\n\n\n# b"), "# a\n\n# b\n");
});

const differences: ReadonlyArray<readonly [what: string, other: string]> = [
  ["a value", "a = [2]\n# c\n"],
  ["a name", "b = [1]\n# c\n"],
  ["a comment", "a = [1]\n# d\n"],
  ["an element", "a = [1, 1]\n# c\n"],
  ["the nesting", "a = [[1]]\n# c\n"],
  ["an item", "a = [1]\n# c\nb = 1"],
];
for (const [what, other] of differences) {
  test(`the formatter would notice if ${what} changed`, (t) => {
    const text = "a = [1]\n# c\n";
    t.true(sameMeaning({ path: "x", text }, { path: "x", text: "a=[ 1, ]\n\n# c" }));
    t.false(sameMeaning({ path: "x", text }, { path: "x", text: other }));
  });
}
