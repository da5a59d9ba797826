/** Small damages to a text, as typing and merging do them. */
import { seeded } from "./texts.js";

const BITS = [
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
    'r"""',
    "/-",
  ],
  ...[
    "#",
    "##",
    "\\",
    "=",
    "==",
    "&&",
    "?",
    ":",
    ",",
    ";",
    "for ",
    "in ",
    "if ",
    "else ",
    "let ",
    "param x",
    "param ",
    ".",
  ],
  ...[
    "\0",
    "\ud800",
    "\udc00",
    "\ufeff",
    "\u00a0",
    "\u201c",
    "\u201d",
    ": ",
    "= {",
    "\u{1f600}",
    '"${"${',
    "10 m",
    "'",
    "//",
    "-",
    "0755",
    "<<EOF",
  ],
];

/** As many mutations as asked for, one after the other, each of one of the texts. The same in every run. */
export function* mutations(texts: readonly string[], count: number, seed = 1): Iterable<string> {
  const random = seeded(seed);
  for (let done = 0; done < count; done++) {
    let text = texts[done % texts.length] ?? "";
    for (let damages = 1 + random(4); damages > 0; damages--) text = damaged(text, random);
    yield text;
  }
}

function damaged(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1);
  const length = 1 + random(20);
  const from = random(text.length + 1);
  switch (random(4)) {
    case 0:
      return text.slice(0, at) + (BITS[random(BITS.length)] ?? "") + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + length);
    case 2:
      return text.slice(0, at + length) + text.slice(at);
    default:
      return text.slice(0, at) + text.slice(from, from + length) + text.slice(at);
  }
}
