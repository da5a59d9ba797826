import test from "ava";
import { type CodeEntry, SYNTAX_CODES } from "./codes.js";
import { read } from "./testing/texts.js";

const entries: ReadonlyArray<readonly [string, CodeEntry]> = Object.entries(SYNTAX_CODES);

for (const [code, { title, example }] of entries) {
  if (example === undefined) continue;
  test(`the example of ${code} (${title}) has that mistake and no other`, (t) => {
    t.deepEqual(read(example).codes, [code]);
  });
}

test("only the formatter's own fault has no example", (t) => {
  const without = entries.flatMap(([code, { example }]) => (example === undefined ? [code] : []));
  t.deepEqual(without, ["E050"]);
});

test("every code is explained in whole sentences", (t) => {
  for (const [code, { title, explanation }] of entries) {
    t.regex(explanation, /^(?:`|"?[A-Z]).*[.…\]"]$/s, code);
    t.regex(title, /^[a-z`].*[^.]$/, code);
  }
});
