/**
 * What to say when something else stands where the grammar expected a statement, a value, an end or a comma.
 * Pure: the text and a place in it, to a complaint and the place where reading may go on.
 */

import {
  isLineEnd,
  looksLikeItem,
  match,
  skipBlanks,
  skipTrivia,
  startOfBlanks,
} from "../reading/lexemes.js";
import { valueContinues } from "./continuation.js";
import {
  equalsBeforeLabel,
  foreignRecovery,
  groupedNumber,
  listDash,
  slashedPattern,
} from "./foreign-values.js";
import { describeLexeme, endsLine, lexemeBefore, lexemeEnd, wordAt } from "./here.js";
import { createMistake, type RecoveryPoint } from "./mistake.js";
import { unquoted } from "./unquoted.js";
import { code } from "./wording.js";

/** What was meant as a name, and what follows a name in an item. */
const DIGIT_NAME = /[0-9]\w*[ \t]*(?:[={]|"[^"\r\n]*"[ \t]*\{)/y;
const LOOKS_LIKE_TEXT = /\.{0,2}\/[\w.]|\.\w*[A-Za-z_/]|~\/|\*\.|@\w/y;
const STATEMENT_START =
  /(?:[A-Za-z_]\w*[ \t]*=(?![=~])|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:[ \t]+"|[ \t]*\{)|(?:let|for|use|if|param)[ \t]+[A-Za-z_!]|import[ \t]+"|\/-)/y;
/** Commas with nothing between them count as one. */
const COMMAS = /,(?:[ \t]*,)*/y;
const NOT_VALUES = /(?:for|in|if|else|import|use)\b/y;

/** A statement was expected. */
export function expectedStatement(text: string, at: number): RecoveryPoint {
  const foreign = foreignRecovery(text, at);
  // Only a space that is none has a fix under this code: the item behind it is read.
  const isSpace = foreign?.complaint.code === "E025" && foreign.complaint.fix !== undefined;
  if (foreign) return isSpace ? { ...foreign, harmless: true } : foreign;
  const dash = listDash(text, at);
  if (dash) return dash;
  const character = text.charAt(at);
  if (character === ")" || character === "]" || character === "}") return strayCloser(text, at);
  if (character === ",") {
    return {
      complaint: createMistake("E006", at, at + 1, "items are not separated by commas", {
        label: "a new line is enough",
        replacement: "",
      }),
      resume: match(COMMAS, text, at),
      harmless: true,
    };
  }
  const end = lexemeEnd(text, at);
  if (/[0-9]/.test(character) && match(DIGIT_NAME, text, at) > 0) {
    const message = "a name cannot begin with a digit";
    return { complaint: createMistake("E012", at, end, message), resume: end };
  }
  return {
    complaint: createMistake(
      "E001",
      at,
      end,
      `expected an item, found ${describeLexeme(text, at)}`,
      {
        help: 'an item is `name = value`, a block `kind "label" { … }`, or begins with let, param, import, mixin, use, for or if',
      },
    ),
    resume: end,
  };
}

/** A value was expected. */
export function expectedValue(text: string, at: number): RecoveryPoint {
  const before = lexemeBefore(text, at);
  const after = before === "" ? "" : ` after ${code(before)}`;
  if (endsLine(text, at) || ",)]".includes(text.charAt(at))) {
    const [start, end] = endsLine(text, at) ? emptyRecovery(text, at) : [at, at + 1];
    const isOperand = isOperator(before);
    return {
      complaint: createMistake(
        isOperand ? "E031" : "E013",
        start,
        end,
        `expected a value${after}`,
        {
          label: `found ${describeLexeme(text, at)}`,
          ...(isOperand &&
            isLineEnd(text.charCodeAt(at)) && {
              help: "to go on, begin the next line with the operator, or open a bracket",
            }),
        },
      ),
      // Of several commas in a row the last one ends the element that is missing.
      resume: Math.max(at, match(COMMAS, text, at) - 1),
    };
  }
  const pattern = before === "=~" ? slashedPattern(text, at) : undefined;
  if (pattern) return pattern;
  if (match(LOOKS_LIKE_TEXT, text, at) > 0) return unquoted(text, at);
  const foreign = foreignRecovery(text, at);
  if (foreign) return foreign;
  const end = lexemeEnd(text, at);
  const number = /[.+]([0-9][\w.]*)/y;
  number.lastIndex = at;
  const [bare, digits] = number.exec(text) ?? [];
  if (bare !== undefined && digits !== undefined) {
    const meant = bare.startsWith(".") ? `0${bare}` : digits;
    return {
      complaint: createMistake("E026", at, at + bare.length, `${code(bare)} is not a number`, {
        label: `write ${code(meant)}`,
        replacement: meant,
      }),
      resume: at + bare.length,
    };
  }
  if (match(NOT_VALUES, text, at) > 0) {
    return {
      complaint: createMistake("E033", at, end, `${code(text.slice(at, end))} is a reserved word`, {
        label: "expected a value",
        ...(text.startsWith("if", at) && { help: "a choice is written: test ? this : that" }),
      }),
      resume: end,
    };
  }
  return {
    complaint: createMistake(
      "E033",
      at,
      end,
      `expected a value${after}, found ${describeLexeme(text, at)}`,
    ),
    resume: "}{".includes(text.charAt(at)) ? at : end,
  };
}

/**
 * An operator is the last thing on its line, and the line below goes on with a value: it belongs at the beginning of that
 * line. Undefined when the line below looks like something new.
 */
export function danglingOperator(text: string, at: number): RecoveryPoint | undefined {
  const operator = lexemeBefore(text, at);
  const below = skipTrivia(text, at);
  if (!isOperator(operator) || !isLineEnd(text.charCodeAt(skipBlanks(text, at)))) return undefined;
  if (endsLine(text, below) || looksLikeItem(text, below)) return undefined;
  const start = startOfBlanks(text, at);
  const from = startOfBlanks(text, start - operator.length);
  return {
    complaint: createMistake(
      "E031",
      start - operator.length,
      start,
      `a line cannot end with ${code(operator)}`,
      {
        label: "begin the next line with it",
        fix: {
          title: `move ${code(operator)} to the next line`,
          edits: [
            { start: from, end: start, text: "" },
            { start: below, end: below, text: `${operator} ` },
          ],
        },
      },
    ),
    resume: below,
  };
}

/** A statement was expected to end: `at` is behind a complete value or body that began at `start`. */
export function expectedEnd(text: string, start: number, at: number): RecoveryPoint {
  const location = skipBlanks(text, at);
  const end = lexemeEnd(text, location);
  const character = text.charAt(location);
  const foreign = foreignRecovery(text, location);
  if (foreign) return foreign;
  if (match(STATEMENT_START, text, location) > 0) {
    return {
      complaint: createMistake("E005", location, end, "a second item begins on the same line", {
        label: "expected a new line or `;` before it",
        fix: { title: "separate them with `;`", edits: [{ start: at, end: location, text: "; " }] },
      }),
      resume: location,
      harmless: true,
    };
  }
  const grouped = character === "," ? groupedNumber(text, start) : undefined;
  if (grouped) return grouped;
  if (character === "{" && text.charAt(start) === '"' && lexemeBefore(text, start) === "=") {
    return equalsBeforeLabel(text, start);
  }
  if (character === "," || character === ")" || character === "]") {
    return { ...expectedStatement(text, location), harmless: true };
  }
  const goesOn = valueContinues({ text, start, at, location });
  if (goesOn) return goesOn;
  if (character === '"' && location > at && start < at) {
    return {
      complaint: createMistake("E033", location, end, "expected an operator between two values", {
        help: "strings are joined by `+`, or inside one string",
      }),
      resume: end,
    };
  }
  const message = `expected the end of the line, found ${describeLexeme(text, location)}`;
  return { complaint: createMistake("E005", location, end, message), resume: end };
}

/** The items that commas separate. */
export type CommaContext = "elements" | "arguments" | "entries";

/** `,` or an end was expected behind a part of a row that began at `start`. */
export function expectedComma(
  text: string,
  start: number,
  at: number,
  row: CommaContext,
): RecoveryPoint {
  const where = row === "entries" ? "or a new line between entries" : `between ${row}`;
  const location = skipTrivia(text, at);
  const end = lexemeEnd(text, location);
  const foreign = foreignRecovery(text, location);
  if (foreign) return foreign;
  if (text.charAt(location) === ";") {
    return {
      complaint: createMistake("E006", location, end, `expected a comma ${where}, found \`;\``, {
        replacement: ",",
      }),
      resume: end,
      harmless: true,
    };
  }
  const character = text.charAt(location);
  const onOneLine = location === skipBlanks(text, at);
  const goesOn = onOneLine && character !== "[" && valueContinues({ text, start, at, location });
  if (goesOn) return goesOn;
  const what = describeLexeme(text, location);
  if (wordAt(text, location) === "for") {
    return {
      complaint: createMistake("E035", location, end, "`for` stands at the beginning of a list", {
        help: "write it as `[for name in values: result]`",
      }),
      resume: end,
    };
  }
  if (/["\w[({]/.test(character)) {
    const message = `expected a comma ${where} before ${what}`;
    return {
      complaint: createMistake("E032", location, end, message, {
        fix: { title: "add a comma", edits: [{ start: at, end: at, text: "," }] },
      }),
      resume: location,
      harmless: true,
    };
  }
  const message = `expected a comma ${where}, found ${what}`;
  return { complaint: createMistake("E033", location, end, message), resume: end };
}

/** An entry of an object was expected. */
export function expectedEntry(text: string, at: number): RecoveryPoint {
  const foreign = foreignRecovery(text, at);
  if (foreign) return foreign;
  const word = wordAt(text, at);
  if (word !== "") {
    const location = skipBlanks(text, at + word.length);
    const end = endsLine(text, location) ? location : lexemeEnd(text, location);
    const message = `expected \`=\` after ${code(word)}, found ${describeLexeme(text, location)}`;
    return { complaint: createMistake("E036", location, end, message), resume: end };
  }
  const end = lexemeEnd(text, at);
  const isGroup = "([{".includes(text.charAt(at));
  return {
    complaint: createMistake("E036", at, end, `expected a key, found ${describeLexeme(text, at)}`, {
      help: 'an entry is `name = value` or `"any text" = value`',
    }),
    resume: isGroup || text.charAt(at) === "," ? at : end,
  };
}

/** A bracket closes what nothing has opened. */
export function strayCloser(text: string, at: number): RecoveryPoint {
  const character = text.charAt(at);
  return {
    complaint: createMistake("E003", at, at + 1, `${code(character)} closes nothing`, {
      label: "nothing is open here",
      replacement: "",
    }),
    resume: at + 1,
  };
}

function isOperator(lexeme: string): boolean {
  return /^(?:\?\??|\|\||&&|==|!=|=~|<=?|>=?|[-+*/%!:]|in)$/.test(lexeme);
}

/** The line's end is shown one column behind the last thing on the line. */
function emptyRecovery(text: string, at: number): readonly [number, number] {
  const start = startOfBlanks(text, at);
  return [start, start];
}
