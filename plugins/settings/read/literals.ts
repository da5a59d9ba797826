/** Numbers and words. */
import type { JsonDialect } from "./dialect.js";
import type { JsonToken, ReportFinding } from "./token.js";

const STRICT = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const JSON5 = /^[+-]?(Infinity|NaN|0[xX][\da-fA-F]+|((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?)$/;
/** Everything that begins like a number, up to where it must have ended. */
const NUMBER = /(?:[+-]?(?:\d|\.\d)[\w.]*(?:(?<=[eE])[+-]\d+)?|[+-][A-Za-z_]\w*)/y;
const NAME =
  /(?:[\p{ID_Start}$_]|\\u[\da-fA-F]{4})(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-fA-F]{4})*/uy;

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
]);

export function readNumberToken(
  text: string,
  start: number,
  dialect: JsonDialect,
  note: ReportFinding,
): JsonToken | undefined {
  NUMBER.lastIndex = start;
  const written = NUMBER.exec(text)?.[0];
  if (written === undefined) return undefined;
  const span = { start, end: start + written.length };
  const fits = dialect === "json5" ? JSON5 : STRICT;
  if (!fits.test(written)) {
    const inJson5 = JSON5.test(written);
    note({
      code: "syntax",
      message: inJson5
        ? `JSON does not write numbers like \`${written}\``
        : `\`${written}\` is not a number`,
      span,
      ...(inJson5 ? { help: "JSON5 does; in JSON write it in decimal digits." } : {}),
    });
  }
  return { kind: "literal", value: numberOf(written), text: written, ...span };
}

function numberOf(written: string): number {
  const [, sign = "", digits = ""] = /^([+-]?)(.*)$/.exec(written) ?? [];
  const value = NUMBER_WORDS.get(digits) ?? Number(digits);
  return sign === "-" ? -value : value;
}

export function readWord(text: string, start: number): JsonToken | undefined {
  NAME.lastIndex = start;
  const written = NAME.exec(text)?.[0];
  if (written === undefined) return undefined;
  const end = start + written.length;
  if (WORDS.has(written)) {
    return { kind: "literal", value: WORDS.get(written), text: written, start, end };
  }
  const number = NUMBER_WORDS.get(written);
  if (number !== undefined) return { kind: "literal", value: number, text: written, start, end };
  return { kind: "name", text: unescaped(written), start, end };
}

const unescaped = (name: string): string =>
  name.replace(/\\u([\da-fA-F]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
