/** A value is complete, and what follows was probably meant to belong to it. */
import { match, NUMBER_LEXEME } from "../reading/lexemes.js";
import { readNumber } from "../reading/numbers.js";
import { groupedNumber } from "./foreign-values.js";
import { lexemeEnd, wordAt } from "./here.js";
import { createMistake, type RecoveryPoint } from "./mistake.js";
import { isUnitLike } from "./number-faults.js";
import { unquoted } from "./unquoted.js";
import { code } from "./wording.js";

interface Situation {
  readonly text: string;
  /** Where the value begins and ends. */
  readonly start: number;
  readonly at: number;
  /** What follows it, behind blanks. */
  readonly location: number;
}

/** Mistakes in which a value from `start` to `at` was meant to include what stands at `place`. */
export function valueContinues(situation: Situation): RecoveryPoint | undefined {
  for (const judge of JUDGES) {
    const recovery = judge(situation);
    if (recovery) return recovery;
  }
  return undefined;
}

const JUDGES = [
  looseUnit,
  looseDuration,
  prefixedString,
  looseSuffix,
  namelessMember,
  secondEquals,
  bareText,
  missingQuote,
  wordForNot,
];

/** `10 m` */
function looseUnit({ text, start, at, location }: Situation): RecoveryPoint | undefined {
  const word = wordAt(text, location);
  const isNumber = location > at && match(NUMBER_LEXEME, text, start) === at;
  if (!isNumber || !isUnitLike(word)) return undefined;
  const end = location + word.length;
  const joined = text.slice(start, at) + word;
  const value = readNumber(joined);
  const meant = value.kind === "fault" ? value.replacement : joined;
  const isSize = value.kind === "size" || (value.kind === "fault" && value.code === "E028");
  const message = "a unit is attached to its number";
  return {
    complaint: createMistake(isSize ? "E028" : "E027", start, end, message, {
      ...(meant === undefined
        ? value.kind === "fault" && value.label && { label: value.label }
        : { label: `write ${code(meant)}`, replacement: meant }),
    }),
    resume: end,
  };
}

/** `1h 30m` */
function looseDuration({ text, start, at, location }: Situation): RecoveryPoint | undefined {
  const isNumber = match(NUMBER_LEXEME, text, start) === at;
  const end = match(NUMBER_LEXEME, text, location);
  if (!isNumber || location === at || end < 0) return undefined;
  const meant = text.slice(start, at) + text.slice(location, end);
  const { kind } = readNumber(meant);
  if (kind !== "duration") return undefined;
  return {
    complaint: createMistake("E027", start, end, "a duration is written without spaces", {
      label: `write ${code(meant)}`,
      replacement: meant,
    }),
    resume: end,
  };
}

/** `f"…"` */
function prefixedString({ text, start, at }: Situation): RecoveryPoint | undefined {
  const prefix = text.slice(start, at);
  if (text.charAt(at) !== '"' || !/^(?:[fFbBuU@$]|fr|rf)$/.test(prefix)) return undefined;
  const complaint = createMistake("E033", start, at, `strings have no prefix ${code(prefix)}`, {
    help: 'values stand in a string as "${let.name}"; a raw string is r"…"',
  });
  return { complaint, resume: lexemeEnd(text, at) };
}

/** The expression of a header was read, and something else than its `{` follows. */
export function headerContinues(situation: Situation): RecoveryPoint | undefined {
  const { text, start, location } = situation;
  const sign = match(/=(?![=~>])(?=[ \t]*[^\s{])|\.\.+[.=<]?/y, text, location);
  if (sign < 0) {
    return text.charAt(location) === "," ? groupedNumber(text, start) : valueContinues(situation);
  }
  const found = text.slice(location, sign);
  const advice =
    found === "="
      ? { label: "write `==`", replacement: "==" }
      : { help: "consecutive numbers are a list: `range(1, 4)` is `[1, 2, 3]`" };
  return {
    complaint: createMistake("E033", location, sign, `${code(found)} is not an operator`, advice),
    resume: sign,
  };
}

/** `f (x)`, `list [0]`, `object .name` */
function looseSuffix({ text, at, location }: Situation): RecoveryPoint | undefined {
  const character = text.charAt(location);
  if (location === at || character === "" || !"([.".includes(character)) return undefined;
  return {
    complaint: createMistake(
      "E037",
      location,
      location + 1,
      `unexpected space before ${code(character)}`,
      {
        label: "write it directly after the value",
        fix: { title: "remove the blank", edits: [{ start: at, end: location, text: "" }] },
      },
    ),
    resume: lexemeEnd(text, location),
  };
}

/** `list.0`, `object.` */
function namelessMember({ text, location }: Situation): RecoveryPoint | undefined {
  if (text.charAt(location) !== ".") return undefined;
  const end = lexemeEnd(text, location);
  const message = "expected a name after `.`";
  const digits = wordOfDigits(text, location + 1);
  if (digits === "")
    return { complaint: createMistake("E033", location, location + 1, message), resume: end };
  const meant = `[${digits}]`;
  return {
    complaint: createMistake("E033", location, location + 1 + digits.length, message, {
      label: `an element is ${code(meant)}`,
      replacement: meant,
    }),
    resume: end,
  };
}

/** `a = b = c` */
function secondEquals({ text, location }: Situation): RecoveryPoint | undefined {
  if (text.charAt(location) !== "=") return undefined;
  const message = "unexpected `=`; an attribute has one `=`";
  return {
    complaint: createMistake("E033", location, location + 1, message, {
      label: "to compare, write `==`",
      replacement: "==",
    }),
    resume: location + 1,
  };
}

/** `https://example.org`: begins like a value and goes on like a text. */
function bareText({ text, start, at }: Situation): RecoveryPoint | undefined {
  return text.startsWith("://", at) ? unquoted(text, start) : undefined;
}

/** `["a, "b"]`: the string ends where the next one was meant to begin. */
function missingQuote({ text, start, at, location }: Situation): RecoveryPoint | undefined {
  const word = wordAt(text, at);
  if (location !== at || word === "" || text.charAt(at - 1) !== '"') return undefined;
  return {
    complaint: createMistake("E020", start, at, "a quote is missing on this line", {
      label: `this string ends before ${code(word)}`,
    }),
    resume: at + word.length,
  };
}

/** `not x` */
function wordForNot({ text, start, at, location }: Situation): RecoveryPoint | undefined {
  if (text.slice(start, at) !== "not") return undefined;
  return {
    complaint: createMistake("E033", start, at, "`not` is not an operator", {
      label: "write `!`",
      fix: { title: "write `!`", edits: [{ start, end: location, text: "!" }] },
    }),
    resume: lexemeEnd(text, location),
  };
}

function wordOfDigits(text: string, at: number): string {
  const digits = /[0-9]*/y;
  digits.lastIndex = at;
  return digits.exec(text)?.[0] ?? "";
}
