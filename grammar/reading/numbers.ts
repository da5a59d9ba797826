/**
 * Everything that begins with a digit: numbers, durations, sizes, percentages.
 * Pure: text in, value or complaint out; ranges are relative to the text.
 */

import { createMistake, type Mistake } from "../mistakes/mistake.js";
import {
  type Amount,
  DURATION_UNITS,
  fault,
  leadingZero,
  malformed,
  type NumberFault,
  notWhole,
  SIZE_UNITS,
  unknownUnit,
  wrongOrder,
} from "../mistakes/number-faults.js";
import { code } from "../mistakes/wording.js";

export type NumberValue =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "duration"; readonly milliseconds: number }
  | { readonly kind: "size"; readonly bytes: number }
  | { readonly kind: "percent"; readonly ratio: number };

const DIGITS = "[0-9]+(?:_[0-9]+)*";
const DECIMAL = new RegExp(`^${DIGITS}(?:\\.${DIGITS})?(?:[eE][+-]?[0-9]+)?$`);
const RADIX = /^0(?:x[0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*|o[0-7]+(?:_[0-7]+)*|b[01]+(?:_[01]+)*)$/;
const LEADING_ZERO = /^0[0-9]/;
const PART = new RegExp(`(${DIGITS}(?:\\.${DIGITS})?)([A-Za-z]+)`, "y");
/** What nearly all numbers look like; no need to look closer. */
const PLAIN = /^(?:0|[1-9][0-9]{0,14})$/;

/** Reads one literal, as `NUMBER` in `lexemes.ts` cut it out. */
export function readNumber(text: string): NumberValue | NumberFault {
  if (PLAIN.test(text)) return { kind: "number", value: Number(text) };
  if (text.endsWith("%")) return readPercent(text);
  if (RADIX.test(text)) return exact(text, Number(text.replaceAll("_", "")));
  if (LEADING_ZERO.test(text)) return leadingZero(text);
  if (DECIMAL.test(text)) return exact(text, Number(text.replaceAll("_", "")));
  const parts = unitParts(text);
  if (parts === undefined) return malformed(text);
  const [first] = parts;
  return parts.length === 1 && first !== undefined && SIZE_UNITS.has(first.unit)
    ? readSize(text, first)
    : readDuration(text, parts);
}

/** `1h30m` as [1 h] [30 m]; undefined when the text is not made of such parts. */
function unitParts(text: string): readonly Amount[] | undefined {
  const parts: Amount[] = [];
  let at = 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const [whole, amount, unit] = PART.exec(text) ?? [];
    if (whole === undefined || amount === undefined || unit === undefined) return undefined;
    parts.push({ start: at, amount, unit, end: at + whole.length });
    at += whole.length;
  }
  return parts;
}

function readPercent(text: string): NumberValue | NumberFault {
  const amount = text.slice(0, -1);
  if (LEADING_ZERO.test(amount)) return leadingZero(text);
  if (!DECIMAL.test(amount)) return malformed(text);
  return { kind: "percent", ratio: Number(amount.replaceAll("_", "")) / 100 };
}

function readSize(text: string, { amount, unit }: Amount): NumberValue | NumberFault {
  const bytes = scale(amount, SIZE_UNITS.get(unit) ?? 1);
  if (bytes === undefined) return notWhole(text, "E028", "bytes");
  return { kind: "size", bytes };
}

function readDuration(text: string, parts: readonly Amount[]): NumberValue | NumberFault {
  let milliseconds = 0;
  let previous: (Amount & { readonly factor: number }) | undefined;
  for (const part of parts) {
    const factor = DURATION_UNITS.get(part.unit);
    if (factor === undefined) return unknownUnit(text, part, parts.length);
    if (previous !== undefined && factor >= previous.factor) {
      return wrongOrder(text, previous, part, parts);
    }
    const amount = scale(part.amount, factor);
    if (amount === undefined) return notWhole(text, "E027", "milliseconds");
    milliseconds += amount;
    previous = { ...part, factor };
  }
  return Number.isSafeInteger(milliseconds)
    ? { kind: "duration", milliseconds }
    : notWhole(text, "E027", "milliseconds");
}

/** The amount in the smallest unit; undefined when it is no whole number or too large to be exact. */
function scale(amount: string, factor: number): number | undefined {
  if (PLAIN.test(amount)) return safe(Number(amount) * factor);
  const [whole = "", fraction = ""] = amount.replaceAll("_", "").split(".");
  if (whole.length + fraction.length > 20) return undefined;
  const scaled = BigInt(whole + fraction) * BigInt(factor);
  const divisor = 10n ** BigInt(fraction.length);
  if (scaled % divisor !== 0n) return undefined;
  return safe(Number(scaled / divisor));
}

const safe = (value: number) => (Number.isSafeInteger(value) ? value : undefined);

function exact(text: string, value: number): NumberValue | NumberFault {
  if (!Number.isFinite(value))
    return fault(text, "E026", `${code(text)} is too large for a number`);
  const isWhole = !/[.eE]/.test(text) || /^0x/.test(text);
  if (isWhole && !Number.isSafeInteger(value)) {
    return fault(text, "E026", `${code(text)} has more digits than a number holds exactly`, {
      help: "whole numbers are exact up to 9007199254740991; write longer ones as a string",
    });
  }
  return { kind: "number", value };
}

/** A fault as a complaint about the literal that stands from `start` to `end` in the file. */
export function numberMistake(fault: NumberFault, start: number, end: number): Mistake {
  const { code: number, message, label, help, replacement } = fault;
  return createMistake(number, start + fault.start, start + fault.end, message, {
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(replacement !== undefined && {
      fix: { title: `write ${code(replacement)}`, edits: [{ start, end, text: replacement }] },
    }),
  });
}
