/**
 * What is said about a number, duration or size that is written wrongly, and what was probably meant.
 * Pure; ranges are relative to the literal.
 */

import { code } from "./wording.js";

export interface NumberFault {
  readonly kind: "fault";
  readonly code: "E026" | "E027" | "E028";
  /** The part to blame, relative to the literal's start. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly label?: string;
  readonly help?: string;
  /** What was probably meant, for the whole literal. */
  readonly replacement?: string;
}

/** One amount with its unit; the range is relative to the literal. */
export interface Amount {
  readonly start: number;
  readonly amount: string;
  readonly unit: string;
  readonly end: number;
}

/** Longest first. Values in milliseconds. A day is 24 hours, whatever the calendar says. */
export const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
]);

/** Values in bytes. SI prefixes are powers of 1000, IEC prefixes (IEC 80000-13) powers of 1024. */
export const SIZE_UNITS: ReadonlyMap<string, number> = new Map([
  ["B", 1],
  ["kB", 1000],
  ["MB", 1000 ** 2],
  ["GB", 1000 ** 3],
  ["TB", 1000 ** 4],
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
  ["TiB", 1024 ** 4],
]);

/** What people write for a duration unit, in lower case, and what it is here. `w` is seven days. */
const DURATION_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ms: "msec msecs millis millisecond milliseconds",
    s: "sec secs second seconds",
    m: "min mins minute minutes",
    h: "hr hrs hour hours",
    d: "day days",
    w: "w wk wks week weeks",
  }).flatMap(([unit, words]) => words.split(" ").map((word) => [word, unit] as const)),
);
const LONG_UNIT = /^(?:mo|mon|month|months|y|yr|yrs|year|years)$/i;
const SHORT_UNIT = /^(?:us|usec|ns|nsec|micros|nanos)$/i;

const BARE_SIZE = /^[KMGTkgt]$/;

/** Whether a word could be meant as a unit: used for `10 m`, where a blank separates the two. */
export function isUnitLike(word: string): boolean {
  return (
    DURATION_UNITS.has(word) ||
    SIZE_UNITS.has(word) ||
    DURATION_ALIASES.has(word.toLowerCase()) ||
    BARE_SIZE.test(word) ||
    sizeUnitLike(word) !== undefined
  );
}

/** `0755` and its like. Octal in other languages, decimal in others still: it must be said. */
export function leadingZero(text: string): NumberFault {
  const stripped = text.replace(/^0+(?=[0-9])/, "");
  if (/^0[0-7]+$/.test(text)) {
    return fault(text, "E026", `${code(text)} has a leading zero`, {
      label: `octal is written ${code(`0o${stripped}`)}`,
      replacement: `0o${stripped}`,
    });
  }
  const message = `${code(text)} has a leading zero`;
  if (!/^[0-9]+(?:\.[0-9]+)?(?:%|[A-Za-z]{1,3})?$/.test(text)) {
    return fault(text, "E026", message, { help: "write a date or a code as a string, in quotes" });
  }
  return fault(text, "E026", message, { label: `write ${code(stripped)}`, replacement: stripped });
}

/** `30m1h`, or the same unit twice. */
export function wrongOrder(
  text: string,
  previous: Amount,
  part: Amount,
  parts: readonly Amount[],
): NumberFault {
  if (previous.unit === part.unit) {
    return {
      ...fault(text, "E027", `${code(text)} repeats the unit ${code(part.unit)}`),
      start: part.start,
      end: part.end,
    };
  }
  const known = parts.every(({ unit }) => DURATION_UNITS.has(unit));
  const unique = new Set(parts.map(({ unit }) => unit)).size === parts.length;
  const sorted = [...parts]
    .sort((a, b) => (DURATION_UNITS.get(b.unit) ?? 0) - (DURATION_UNITS.get(a.unit) ?? 0))
    .map(({ amount, unit }) => amount + unit)
    .join("");
  return {
    ...fault(text, "E027", `the units of ${code(text)} are not in descending order`),
    start: part.start,
    end: part.end,
    ...(known && unique ? { label: `write ${code(sorted)}`, replacement: sorted } : {}),
  };
}

/** `5min`, `10K`, `64kib`, `3months`: a number with letters that are no unit. */
export function unknownUnit(text: string, part: Amount, count: number): NumberFault {
  const { unit, amount } = part;
  const range = { start: part.start + amount.length, end: part.end };
  const at = (replacement: string) => ({
    label: `write ${code(replacement)}`,
    replacement: text.slice(0, part.start) + replacement + text.slice(part.end),
  });
  if (count === 1 && BARE_SIZE.test(unit)) return { ...bareSize(text, amount, unit), ...range };
  const size = count === 1 ? sizeUnitLike(unit) : undefined;
  if (size !== undefined) {
    return {
      ...fault(text, "E028", `${code(unit)} is not a unit of size`, at(amount + size)),
      ...range,
      help: "kB is 1000 bytes, KiB is 1024 bytes",
    };
  }
  const message = `${code(unit)} is not a unit of time`;
  const known = DURATION_ALIASES.get(unit.toLowerCase());
  if (known === "w" && /^[0-9]+$/.test(amount)) {
    return { ...fault(text, "E027", message, at(`${Number(amount) * 7}d`)), ...range };
  }
  if (known !== undefined && known !== "w") {
    return { ...fault(text, "E027", message, at(amount + known)), ...range };
  }
  if (LONG_UNIT.test(unit)) {
    return {
      ...fault(text, "E027", message, {
        help: "months and years differ in length; say it in days, for example `30d`",
      }),
      ...range,
    };
  }
  if (SHORT_UNIT.test(unit)) {
    return {
      ...fault(text, "E027", message, { help: "the shortest unit is the millisecond, `1ms`" }),
      ...range,
    };
  }
  if (count === 1) return { ...malformed(text), ...range };
  return {
    ...fault(text, "E027", message, { help: "units of time are d, h, m, s and ms" }),
    ...range,
  };
}

function bareSize(text: string, amount: string, unit: string): NumberFault {
  const letter = unit.toUpperCase();
  const decimal = letter === "K" ? "kB" : `${letter}B`;
  const message = `${code(text)} does not say whether it counts in 1000 or 1024`;
  return fault(text, "E028", message, {
    label: `write ${code(`${amount}${letter}iB`)} (1024) or ${code(amount + decimal)} (1000)`,
    ...(unit === "M" ? { help: `ten minutes are written with a small letter: \`10m\`` } : {}),
  });
}

/** The unit of size that differs only in its letters' case, or the whole word of it. */
function sizeUnitLike(word: string): string | undefined {
  const lower = word.toLowerCase();
  if (/^bytes?$/.test(lower)) return "B";
  for (const unit of SIZE_UNITS.keys()) if (unit.toLowerCase() === lower) return unit;
  return undefined;
}

/** `1.5ms`, or more than a number can count. */
export function notWhole(text: string, number: "E027" | "E028", unit: string): NumberFault {
  return fault(text, number, `${code(text)} is not a whole number of ${unit}`);
}

/** Neither a number nor an amount with units. */
export function malformed(text: string): NumberFault {
  if (/^[0-9]+(?:\.[0-9]+)?[KMGT]i$/.test(text)) {
    const message = `${code(text)} has an incomplete unit`;
    return fault(text, "E028", message, {
      label: `write ${code(`${text}B`)}`,
      replacement: `${text}B`,
    });
  }
  if (/^[0-9]+\.[0-9]+\.[0-9.]*/.test(text)) {
    return fault(text, "E026", `${code(text)} is not a number`, {
      help: "an address or a version is a string: put it in quotes",
    });
  }
  if (/^0[xXoObB]/.test(text)) {
    return fault(text, "E026", `${code(text)} is not a number`, {
      help: "hexadecimal is written `0xff`, octal `0o755`, binary `0b101`",
    });
  }
  if (/_(?:_|$|[^0-9])/.test(text)) {
    return fault(text, "E026", `${code(text)} is not a number`, {
      help: "an underscore stands between two digits: `1_000`",
    });
  }
  return fault(text, "E026", `${code(text)} is not a number`, {
    help: "a name cannot begin with a digit, and text needs quotes",
  });
}

/** A complaint about the whole literal. */
export function fault(
  text: string,
  code: NumberFault["code"],
  message: string,
  advice: Pick<NumberFault, "label" | "help" | "replacement"> = {},
): NumberFault {
  return { kind: "fault", code, start: 0, end: text.length, message, ...advice };
}
