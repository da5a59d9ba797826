import test from "ava";
import stringWidth from "string-width";
import { terminalWidth } from "./width.js";

test("every character of the first planes' shortcuts is as wide as the tables say", (t) => {
  for (let code = 0x20; code < 0x3000; code += 1) {
    const character = String.fromCharCode(code);
    t.is(terminalWidth(character), stringWidth(character), code.toString(16));
  }
});

const texts: ReadonlyArray<readonly [text: string, columns: number]> = [
  ["", 0],
  ["plain", 5],
  ["● läuft …", 9],
  ["▁▂▃⠿⣿", 5],
  ["漢字", 4],
  ["👩‍👩‍👧", 2],
  ["e\u0301", 1],
  ["●\ufe0e", 1],
  ["\u001b[31mred\u001b[39m", 3],
  ["\u001b[1m漢\u001b[22m", 2],
];
for (const [text, columns] of texts) {
  test(`${JSON.stringify(text)} takes ${columns}`, (t) => {
    t.is(terminalWidth(text), columns);
    t.is(terminalWidth(text), stringWidth(text));
  });
}

test("an escape that leads nowhere takes what it takes, and no time", (t) => {
  t.is(terminalWidth("\u001b"), stringWidth("\u001b"));
  t.is(terminalWidth("a\u001b\u001b"), stringWidth("a\u001b\u001b"));
});
