/** Headers, queries and forms: names with the first value of each. */
import { goQuoted } from "../go-text.js";
import type { ValuesReading } from "./json.js";
import { type FieldValue, type FieldValues, newValues } from "./value.js";

/** Few names occur, and each with every request. */
const canonicalNames = new Map<string, string>();
const MAX_NAMES = 500;

/** `x-github-event` becomes `X-Github-Event`; an invalid name stays. */
export function canonicalName(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  const canonical = canonicalized(name);
  if (canonicalNames.size < MAX_NAMES) canonicalNames.set(name, canonical);
  return canonical;
}

function canonicalized(name: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return name;
  return name
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_all, dash, letter) => dash + letter.toUpperCase());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them.
const ASCII = /^[\x00-\x7f]*$/;

/** `raw`: names and values in turn, as sent. Omits `Host` and `Transfer-Encoding`. */
export function headerValues(raw: readonly string[]): FieldValues {
  const headers = newValues();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = canonicalName(raw[index] as string);
    if (name === "Host" || name === "Transfer-Encoding" || name in headers) continue;
    const value = raw[index + 1] as string;
    headers[name] = ASCII.test(value) ? value : Buffer.from(value, "latin1").toString("utf8");
  }
  return headers;
}

/** Omits pairs with `;` or an invalid escape. */
export function queryValues(query: string): FieldValues {
  const values = newValues();
  addPairs(query, values);
  return values;
}

/** One invalid pair fails the form. The message is that of Go's `net/url`. */
export function formValues(text: string): ValuesReading {
  const values = newValues();
  if (addPairs(text, values)) return { ok: true, value: values };
  const wrong = text.split("&").find((pair) => pair !== "" && !addPairs(pair, newValues())) ?? "";
  if (wrong.includes(";")) return { ok: false, message: "invalid semicolon separator in query" };
  const [wrongEscape = ""] = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(wrong) ?? [];
  return { ok: false, message: `invalid URL escape ${goQuoted(wrongEscape)}` };
}

/** The first value of a name counts. Returns whether all pairs are valid. */
function addPairs(text: string, values: Record<string, FieldValue>): boolean {
  let valid = true;
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf("&", start);
    const end = ampersand === -1 ? text.length : ampersand;
    const pair = text.slice(start, end);
    start = end + 1;
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = unescaped(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : unescaped(pair.slice(equals + 1));
    if (name === undefined || value === undefined || pair.includes(";")) valid = false;
    else values[name] ??= value;
  }
  return valid;
}

/** Bytes that are not UTF-8 become U+FFFD; only the escape itself can be wrong. */
function unescaped(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const bytes = text
    .replaceAll("+", " ")
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part) => (/^%..$/.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part)));
  return Buffer.concat(bytes).toString("utf8");
}
