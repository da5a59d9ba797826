/** What to say about brackets, bodies, holes and block strings that are never closed. */

import { match } from "../reading/lexemes.js";
import type { Span } from "../tree.js";
import { describeLexeme, lexemeEnd } from "./here.js";
import { createMistake, type Mistake } from "./mistake.js";
import { code, INTERPOLATION } from "./wording.js";

const OPENER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** `${…}` as shells write it: `${VAR:-default}`, `${#list[@]}`, `${name%.*}`. */
const SHELL_PARAMETER =
  /\$\{(?:[#!]\w+|\w+(?:\[[@*]\]|:?[-+=?]|%%?|##?|\/\/?|\^\^?|,,?|:\d|@[A-Za-z]))[^}\r\n]{0,200}\}?/y;

/** A body without `}`, and nothing shows where it was meant to end. */
export function unclosedBody(brace: number): Mistake {
  return createMistake("E002", brace, brace + 1, "this `{` is never closed", {
    label: "expected `}`",
  });
}

/** A body without `}` before the next item. `end`: where its last item ends. */
export function missingBrace(brace: number, end: number): Mistake {
  return createMistake("E002", end, end, "a body is not closed before the next item", {
    label: "expected `}`",
    related: [{ start: brace, end: brace + 1, message: "the body begins here" }],
  });
}

/** A bracket that is not closed before something begins that cannot be inside. */
export function unclosedBracket(text: string, opening: number, closer: string): Mistake {
  return createMistake(
    "E004",
    opening,
    opening + 1,
    `${code(text.charAt(opening))} is never closed`,
    {
      label: `expected ${code(closer)}`,
    },
  );
}

/** A bracket that is closed by one of another shape. */
export function wrongCloser(text: string, opening: number, at: number, closer: string): Mistake {
  const opener = OPENER[closer] ?? closer;
  return createMistake(
    "E004",
    at,
    at + 1,
    `${code(opener)} is closed by ${code(text.charAt(at))}`,
    {
      label: `expected ${code(closer)}`,
      replacement: closer,
      related: [{ start: opening, end: opening + 1, message: "opened here" }],
    },
  );
}

/** `]`, `)` or `}` was expected, and something else stands here. */
export function expectedCloser(text: string, at: number, closer: string): Mistake {
  const message = `expected ${code(closer)}, found ${describeLexeme(text, at)}`;
  return createMistake("E033", at, Math.max(at + 1, lexemeEnd(text, at)), message);
}

/** A `${` that is not closed on its line. */
export function unclosedInterpolation(opening: number): Mistake {
  return createMistake("E004", opening, opening + 2, "`${` is not closed", {
    label: "expected `}` on the same line",
    help: "a dollar sign and a brace as they stand are written `\\${`",
  });
}

/** A `${…}` that a shell would understand; undefined when it does not look like that. */
export function shellParameter(text: string, opening: number): Mistake | undefined {
  const end = match(SHELL_PARAMETER, text, opening);
  if (end < 0) return undefined;
  return createMistake("E033", opening, end, `${INTERPOLATION} must contain an expression`, {
    label: "a parameter for the shell?",
    help: 'leave it to the shell: write `\\${`, or use the raw form r"""',
    fix: {
      title: "write `\\${`",
      edits: [{ start: opening, end: opening, text: "\\" }],
    },
  });
}

/** A block string that goes on to the end of the file. */
export function unclosedBlock(start: number): Mistake {
  return createMistake("E021", start, start + 3, "this block string is never closed", {
    label: 'expected a line with `"""`',
  });
}

/** A block string inside a `${…}`. */
export function blockInInterpolation({ start, end }: Span): Mistake {
  return createMistake("E029", start, end, `a block string cannot be inside ${INTERPOLATION}`, {
    help: "assign it to a `let` first: let text = …",
  });
}
