/** Strings, with every fault in one of them, not only the first. */
import type { JsonDialect } from "./dialect.js";
import type { JsonToken, ReportFinding } from "./token.js";

const SIMPLE: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "/": "/",
  "\\": "\\",
  '"': '"',
};
const LINE_END = /[\n\r]/;

/** `start` is at the opening quote. A string ends at its quote, or with its line. */
export function readString(
  text: string,
  start: number,
  dialect: JsonDialect,
  note: ReportFinding,
): Extract<JsonToken, { kind: "string" }> {
  const quote = text[start];
  const json5 = dialect === "json5";
  if (quote === "'" && !json5) {
    note({
      code: "syntax",
      message: "JSON has only double quotes",
      span: { start, end: start + 1 },
      help: "JSON5 has both: call the file `.json5`, or set `dialect`.",
    });
  }
  let value = "";
  let at = start + 1;
  for (;;) {
    const sign = text[at];
    if (sign === undefined || LINE_END.test(sign)) {
      const message = "this string is not closed on its line";
      note({ code: "syntax", message, span: { start, end: at } });
      return { kind: "string", value, start, end: at };
    }
    if (sign === quote) return { kind: "string", value, start, end: at + 1 };
    if (sign === "\\") {
      const found = readEscape(text, at, json5);
      if (found.fault !== undefined) {
        note({ code: "syntax", message: found.fault, span: { start: at, end: found.end } });
      }
      value += found.value;
      at = found.end;
      continue;
    }
    if (sign < " " && !json5) {
      const written = `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
      note({
        code: "syntax",
        message: `a control character in a string is written as \`${sign === "\t" ? "\\t" : written}\``,
        span: { start: at, end: at + 1 },
      });
    }
    value += sign;
    at += 1;
  }
}

interface Escape {
  readonly value: string;
  readonly end: number;
  readonly fault?: string;
}

/** `at` is the backslash. */
function readEscape(text: string, at: number, json5: boolean): Escape {
  const sign = text[at + 1];
  if (sign === undefined) return { value: "", end: at + 1 };
  if (sign === "u") return readCode(text, at, 4);
  const simple = Object.hasOwn(SIMPLE, sign) ? SIMPLE[sign] : undefined;
  if (simple !== undefined) return { value: simple, end: at + 2 };
  if (!json5) {
    if (LINE_END.test(sign)) return { value: "", end: at + 1 };
    return { value: sign, end: at + 2, fault: `JSON has no escape \`\\${sign}\`` };
  }
  if (sign === "x") return readCode(text, at, 2);
  if (sign === "\r" && text[at + 2] === "\n") return { value: "", end: at + 3 };
  if (/[\n\r\u2028\u2029]/.test(sign)) return { value: "", end: at + 2 };
  if (sign === "v") return { value: "\v", end: at + 2 };
  if (sign === "0" && !/\d/.test(text[at + 2] ?? "")) return { value: "\0", end: at + 2 };
  if (/\d/.test(sign)) {
    return { value: sign, end: at + 2, fault: `JSON5 has no escape \`\\${sign}\`` };
  }
  return { value: sign, end: at + 2 };
}

function readCode(text: string, at: number, length: number): Escape {
  const digits = /^[\da-fA-F]*/.exec(text.slice(at + 2, at + 2 + length))?.[0] ?? "";
  const end = at + 2 + digits.length;
  if (digits.length < length) {
    const fault = `after \`\\${text[at + 1]}\` there must be ${length} hexadecimal digits`;
    return { value: "", end, fault };
  }
  return { value: String.fromCharCode(Number.parseInt(digits, 16)), end };
}
