/**
 * What to say about statements whose beginning is recognisable but not well formed:
 * another sign instead of `=`, a label without quotes, a hyphen in a name, a keyword without what belongs to it.
 */

import {
  isBlank,
  isLineEnd,
  match,
  NAME,
  RESERVED,
  skipBlanks,
  skipTrivia,
} from "../reading/lexemes.js";
import { foreignSyntax } from "./foreign-syntax.js";
import { describeLexeme, lexemeEnd, lexemeEndOnLine } from "./here.js";
import { createMistake, type Mistake, type RecoveryPoint } from "./mistake.js";
import { unquoted } from "./unquoted.js";
import { code } from "./wording.js";

/** What is written where `=` belongs. */
const WRONG_EQUALS = /:=?|===?|=>|=~|->|<-|\+=|\?=|~=/y;
/** Labels, quoted or not, and then a body on the same line. */
const HEADER_REST =
  /(?:(?:"[^"\r\n]*"|'[^'\r\n]*'|(?:[^\s"'{}()[\];#=,:]|(?<=[0-9]),(?=[0-9]))+)(?:[ \t]+|(?=\{)))+\{/y;
const STRINGS_TO_LINE_END = /(?:"[^"\r\n]*"[ \t]*)+(?=[\r\n#]|$)/y;
const DOTTED_NAME = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?=[ \t]*=)/y;
/** Where a value could begin, if only there were a `=` before it. */
const VALUE_START = /["\w[({!-]/y;

/** Another sign in the place of `=`; undefined when none stands here. */
export function wrongEquals(text: string, at: number): Mistake | undefined {
  const end = match(WRONG_EQUALS, text, at);
  if (end < 0) return undefined;
  const sign = text.slice(at, end);
  return createMistake("E010", at, end, `expected \`=\`, found ${code(sign)}`, {
    label: "write `=`",
    fix: {
      title: "write `=`",
      edits: [{ start: at, end, text: isBlank(text, at - 1) ? "=" : " =" }],
    },
  });
}

/** `=` is missing altogether, and what follows looks like a value and not like the rest of a block's header. */
export function absentEquals(text: string, at: number): Mistake | undefined {
  if (!isBlank(text, at - 1) || match(VALUE_START, text, at) < 0) return undefined;
  if (match(HEADER_REST, text, at) > 0 || text.charAt(at) === "{") return undefined;
  const strings = match(STRINGS_TO_LINE_END, text, at);
  if (strings > 0 && text.charAt(skipTrivia(text, strings)) === "{") return undefined;
  return createMistake(
    "E010",
    at,
    lexemeEnd(text, at),
    `expected \`=\`, found ${describeLexeme(text, at)}`,
    {
      label: "write `=` between a name and its value",
      ...(strings > 0 && {
        help: 'a block has its body on the line of its label: kind "label" { … }',
      }),
      fix: { title: "insert `=`", edits: [{ start: at, end: at, text: "= " }] },
    },
  );
}

/** `let x` with nothing that could be a `=`. */
export function missingEquals(text: string, at: number): Mistake {
  return (
    foreignSyntax(text, at) ??
    createMistake(
      "E010",
      at,
      lexemeEndOnLine(text, at),
      `expected \`=\`, found ${describeLexeme(text, at)}`,
    )
  );
}

/** `param name:` without a type. */
export const missingParameterType = (text: string, at: number): Mistake =>
  createMistake(
    "E014",
    at,
    lexemeEndOnLine(text, at),
    `expected a type after \`:\`, found ${describeLexeme(text, at)}`,
    { help: "write it as `param name: type = value`" },
  );

/** The body's `{` stands below its header. `end` is where the header ends. */
export function braceBelow(text: string, end: number): RecoveryPoint | undefined {
  const brace = skipTrivia(text, end);
  if (text.charAt(brace) !== "{" || !isLineEnd(text.charCodeAt(skipBlanks(text, end))))
    return undefined;
  let header = end;
  while (isBlank(text, header - 1)) header--;
  return {
    complaint: createMistake("E011", brace, brace + 1, "`{` must be on the line of its header", {
      label: "move it up",
      fix: { title: "move `{` up", edits: [{ start: header, end: brace, text: " " }] },
    }),
    resume: brace,
  };
}

/** A body was expected behind the header of a `for`, `if`, `else` or `mixin`. */
export function missingBody(text: string, at: number): Mistake {
  return (
    foreignSyntax(text, at) ??
    createMistake(
      "E011",
      at,
      lexemeEndOnLine(text, at),
      `expected \`{\`, found ${describeLexeme(text, at)}`,
    )
  );
}

interface Form {
  readonly form: string;
  readonly steps: ReadonlyArray<readonly [pattern: RegExp, what: string]>;
}

interface Missing {
  readonly location: number;
  readonly expected: string;
}

const STRING: readonly [RegExp, string] = [/"(?:[^"\\\r\n]|\\.)*"/y, "a string"];
const FORMS = {
  let: { form: "let name = value", steps: [[NAME, "a name"]] },
  import: {
    form: 'import "./file.reeve" as name',
    steps: [STRING, [/as\b/y, "`as`"], [NAME, "a name"]],
  },
  mixin: { form: 'mixin "name" { … }', steps: [STRING] },
  for: {
    form: "for name in values { … }",
    steps: [
      [NAME, "a name"],
      [/in\b/y, "`in`"],
    ],
  },
} satisfies Record<string, Form>;

const isFormed = (keyword: string): keyword is keyof typeof FORMS => Object.hasOwn(FORMS, keyword);

/** A keyword without what belongs to it. `at` is where the keyword stands. */
export function brokenForm(text: string, at: number): RecoveryPoint | undefined {
  const keyword = text.slice(at, match(NAME, text, at));
  if (keyword === "else") return strayElse(at);
  if (!isFormed(keyword)) return undefined;
  const form: Form = FORMS[keyword];
  const { location, expected } = firstMissing(text, at + keyword.length, form.steps);
  const foreign = foreignSyntax(text, location);
  if (foreign) return { complaint: foreign, resume: foreign.end };
  const named = keyword === "import" ? namedImport(text, location) : undefined;
  if (named) return named;
  if (expected === "a string" && /[\w./~@]/.test(text.charAt(location)))
    return unquoted(text, location);
  const end = lexemeEndOnLine(text, location);
  const name = text.slice(location, end);
  const help = `write it as ${code(form.form)}`;
  if (RESERVED.has(name) && expected !== "`in`") {
    const message = `${code(name)} is a reserved word and cannot be a name here`;
    return { complaint: createMistake("E012", location, end, message, { help }), resume: end };
  }
  const after = location === skipBlanks(text, at + keyword.length) ? ` after ${code(keyword)}` : "";
  const message = `expected ${expected}${after}, found ${describeLexeme(text, location)}`;
  return { complaint: createMistake("E014", location, end, message, { help }), resume: end };
}

/** `for` in a list or object without what belongs to it. `at` is behind the word. */
export function brokenListFor(text: string, at: number, opening: number): Mistake {
  const { location, expected } = firstMissing(text, at, FORMS.for.steps);
  const end = lexemeEndOnLine(text, location);
  const message = `expected ${expected}, found ${describeLexeme(text, location)}`;
  return createMistake("E035", location, end, message, { help: formOfFor(text, opening) });
}

/** A sign was expected in such a `for`. */
export function expectedInFor(text: string, at: number, sign: string, opening: number): Mistake {
  const message = `expected ${code(sign)}, found ${describeLexeme(text, at)}`;
  return createMistake("E035", at, lexemeEnd(text, at), message, {
    help: formOfFor(text, opening),
  });
}

const formOfFor = (text: string, opening: number): string =>
  text.charAt(opening) === "{"
    ? "write it as `{ for name, value in values: key => result }`"
    : "write it as `[for name in values: result]`";

/** Where a form stops being well formed, and what belongs there; nothing when all its steps are. */
function firstMissing(text: string, from: number, steps: Form["steps"]): Missing {
  let location = skipBlanks(text, from);
  let expected = "";
  for (const [pattern, what] of steps) {
    expected = what;
    const end = match(pattern, text, location);
    const word = end < 0 ? "" : text.slice(location, end);
    if (end < 0 || (what === "a name" && RESERVED.has(word))) break;
    location = skipBlanks(text, end);
    if (what === "a name" && text.charAt(location) === ",") {
      location = skipBlanks(text, location + 1);
      const second = match(NAME, text, location);
      if (second < 0 || RESERVED.has(text.slice(location, second))) break;
      location = skipBlanks(text, second);
    }
    expected = "";
  }
  return { location, expected };
}

/** `import name from "file"` */
function namedImport(text: string, at: number): RecoveryPoint | undefined {
  const pattern = /(\{?)[\w*, \t]*?(\w+)[ \t]*\}?[ \t]+from[ \t]+("[^"\r\n]*")/y;
  pattern.lastIndex = at;
  const [found, brace, name, path] = pattern.exec(text) ?? [];
  if (found === undefined) return undefined;
  const end = at + found.length;
  const meant = `${path} as ${name}`;
  return {
    complaint: createMistake("E014", at, end, "`import` names the file first", {
      ...(brace === ""
        ? { label: `write ${code(meant)}`, replacement: meant }
        : { help: `write it as ${code(FORMS.import.form)}; its values are name.let.x` }),
    }),
    resume: end,
  };
}

function strayElse(at: number): RecoveryPoint {
  return {
    complaint: createMistake("E015", at, at + 4, "`else` without `if`", {
      label: "no `if` ends directly before it",
    }),
    resume: at + 4,
  };
}

/** A name was read, and nothing that makes it an item follows. */
export function loneName(text: string, at: number): RecoveryPoint | undefined {
  const nameEnd = match(NAME, text, at);
  if (nameEnd < 0) return undefined;
  const dottedEnd = match(DOTTED_NAME, text, at);
  if (dottedEnd > 0) {
    return {
      complaint: createMistake("E012", at, dottedEnd, "an attribute name cannot contain a dot", {
        help: `a value inside another is written in its object or body: ${nested(text.slice(at, dottedEnd))}`,
      }),
      resume: dottedEnd,
    };
  }
  const name = code(text.slice(at, nameEnd));
  const location = skipBlanks(text, nameEnd);
  const foreign = foreignSyntax(text, location);
  if (foreign) return { complaint: foreign, resume: foreign.end };
  const what = describeLexeme(text, location);
  const end = lexemeEndOnLine(text, location);
  const message = `expected \`=\` or \`{\` after ${name}, found ${what}`;
  return { complaint: createMistake("E010", location, end, message), resume: end };
}

/** `a.b` as `a = { b = … }`. */
const nested = (path: string): string =>
  path
    .split(".")
    .reduceRight((inner, name) => `${name} = ${inner === "…" ? inner : `{ ${inner} }`}`, "…");
