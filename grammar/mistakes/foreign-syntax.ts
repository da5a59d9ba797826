/**
 * What people bring from other languages, recognised at the place where it stands:
 * quotes, comments, operators, unusual characters. One table, tried from top to bottom.
 */
import { createMistake, type Mistake } from "./mistake.js";
import { code, codePoint } from "./wording.js";

interface ForeignForm {
  /** Sticky; its match is what is blamed. */
  readonly pattern: RegExp;
  readonly say: (found: string, start: number, end: number) => Mistake;
}

/** Spaces that look like one but are none, byte order mark and zero-width characters included. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: vertical tab and form feed are among them.
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\u000b\f]+/uy;

const HABITS: readonly ForeignForm[] = [
  {
    pattern: /'(?:[^'\\\r\n]|\\.)*'/y,
    say: (found, start, end) =>
      quotes(found.slice(1, -1), start, end, "strings have double quotes"),
  },
  {
    pattern: /`[^`\r\n]*`/y,
    say: (found, start, end) =>
      quotes(found.slice(1, -1), start, end, "strings have double quotes"),
  },
  {
    pattern: /[“”„‟«»‘’‚‛][^“”„‟«»‘’‚‛"\r\n]*[“”„‟«»‘’‚‛]/uy,
    say: (found, start, end) =>
      quotes(found.slice(1, -1), start, end, "strings have straight quotes, not typographic ones"),
  },
  {
    pattern: /['`“”„‟«»‘’‚‛]/uy,
    say: (found, start, end) =>
      createMistake("E023", start, end, `${code(found)} is not a quotation mark`, {
        label: 'strings have straight double quotes: "…"',
      }),
  },
  {
    pattern: /\/\/[^\r\n]*|--[^\r\n]*/y,
    say: (found, start, end) =>
      createMistake(
        "E024",
        start,
        start + 2,
        `${code(found.slice(0, 2))} does not begin a comment`,
        {
          label: "comments begin with `#`",
          // The whole comment is replaced: its words are no tokens any more.
          fix: { title: "write `#`", edits: [{ start, end, text: `#${found.slice(2)}` }] },
        },
      ),
  },
  {
    pattern: /\/\*.{0,500}?\*\/|\/\*[^\r\n]*/sy,
    say: (_found, start) =>
      createMistake("E024", start, start + 2, "`/*` does not begin a comment", {
        label: "comments begin with `#`",
        help: "every line of a comment has its own `#`; `/-` disables a whole item",
      }),
  },
  {
    pattern: /===|!==/y,
    say: (found, start, end) => operator(found, start, end, found.slice(0, 2)),
  },
  { pattern: /&(?!&)/y, say: (found, start, end) => operator(found, start, end, "&&") },
  { pattern: /\|(?!\|)/y, say: (found, start, end) => operator(found, start, end, "||") },
  { pattern: /and\b/y, say: (found, start, end) => operator(found, start, end, "&&") },
  { pattern: /or\b/y, say: (found, start, end) => operator(found, start, end, "||") },
  {
    pattern: /is[ \t]+not\b(?![ \t]*=)/y,
    say: (found, start, end) => operator(found, start, end, "!="),
  },
  {
    pattern: /(?:is|eq|equals)\b(?![ \t]*=)/y,
    say: (found, start, end) => operator(found, start, end, "=="),
  },
  { pattern: /\?\.(?=[A-Za-z_])/y, say: (found, start, end) => operator(found, start, end, ".") },
  {
    pattern: /\.\.\.(?=[\w[{(])/y,
    say: (found, start, end) =>
      createMistake("E033", start, end, `${code(found)} is not an operator`, {
        help: "lists are joined by `concat(a, b)`, objects by `merge(a, b)`",
      }),
  },
  { pattern: /<>/y, say: (found, start, end) => operator(found, start, end, "!=") },
  { pattern: /~=/y, say: (found, start, end) => operator(found, start, end, "=~") },
  {
    pattern: /\$\{[^}\r\n]*\}?/y,
    say: (found, start, end) =>
      createMistake("E033", start, end, `${code(found)} works only inside a string`, {
        help: "outside strings write the expression alone",
        ...(found.endsWith("}") && { replacement: found.slice(2, -1).trim() }),
      }),
  },
  {
    pattern: /\$\w+/y,
    say: (found, start, end) =>
      createMistake("E025", start, end, `${code(found)} is not a name`, {
        help: `there are no \`$\` variables: a value of your own is \`let.name\`, the environment is \`env("${/^\$[A-Z]/i.test(found) ? found.slice(1) : "NAME"}")\``,
      }),
  },
  {
    pattern: /<<[-~]?['"]?\w+['"]?/y,
    say: (_found, start, end) =>
      createMistake("E033", start, end, "here-documents are not supported", {
        help: 'write text of several lines between `"""` and a closing `"""` on its own line',
      }),
  },
  {
    pattern: ODD_SPACE,
    say: oddSpace,
  },
  {
    pattern: /[^ -~\t\r\n]+/uy,
    say: (found, start, end) => notAscii(found, start, end),
  },
  {
    pattern: /[@$^~\\]+/y,
    say: (found, start, end) =>
      createMistake("E025", start, end, `${code(found)} has no meaning here`, {
        help: "if it is text, put it in quotes",
      }),
  },
];

/** The complaint about a foreign habit at this very place; undefined when there is none. */
export function foreignSyntax(text: string, position: number): Mistake | undefined {
  for (const { pattern, say } of HABITS) {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return say(found, position, position + found.length);
  }
  return undefined;
}

function quotes(content: string, start: number, end: number, message: string): Mistake {
  const meant = `"${content.replaceAll('\\"', '"').replaceAll('"', '\\"').replaceAll("${", "\\${")}"`;
  return createMistake("E023", start, end, message, {
    label: `write ${code(meant)}`,
    replacement: meant,
  });
}

function operator(found: string, start: number, end: number, meant: string): Mistake {
  return createMistake("E033", start, end, `${code(found)} is not an operator`, {
    label: `write ${code(meant)}`,
    replacement: meant,
  });
}

function oddSpace(found: string, start: number, end: number): Mistake {
  // What takes no room at all is deleted: a space in its place would be one too many.
  const isInvisible = /^[\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]+$/u.test(found);
  const title = isInvisible ? "delete it" : "write an ordinary space";
  return createMistake("E025", start, end, `unexpected space character (${codePoint(found, 0)})`, {
    fix: { title, edits: [{ start, end, text: isInvisible ? "" : " " }] },
  });
}

function notAscii(found: string, start: number, end: number): Mistake {
  if (/^\p{L}/u.test(found)) {
    return createMistake("E025", start, end, `${code(found)} cannot be part of a name`, {
      help: "names are made of A-Z, a-z, 0-9 and `_`; any text may stand in quotes",
    });
  }
  if (/^\p{C}/u.test(found)) {
    return createMistake(
      "E025",
      start,
      end,
      `the character ${codePoint(found, 0)} cannot be seen`,
      {
        help: "delete it; in a string write it as an escape, \\u{…}",
      },
    );
  }
  return createMistake("E025", start, end, `the character ${code(found)} has no meaning here`, {
    help: "outside strings and comments only ASCII characters are allowed",
  });
}
