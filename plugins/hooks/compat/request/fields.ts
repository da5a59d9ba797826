/** Headers, queries and forms: names with the first value of each. */
import type { FieldValue, FieldValues } from "./value.js";

/** `x-github-event` becomes `X-Github-Event`; an invalid name stays. */
export function canonicalName(name: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return name;
  return name
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_all, dash, letter) => dash + letter.toUpperCase());
}

/** `raw`: names and values in turn, as sent. Omits `Host` and `Transfer-Encoding`. */
export function headerValues(raw: readonly string[]): FieldValues {
  const headers: Record<string, FieldValue> = Object.create(null);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = canonicalName(raw[index] as string);
    if (name === "Host" || name === "Transfer-Encoding" || name in headers) continue;
    headers[name] = Buffer.from(raw[index + 1] as string, "latin1").toString("utf8");
  }
  return headers;
}

/** Omits pairs with `;` or an invalid escape. */
export function queryValues(query: string): FieldValues {
  const values: Record<string, FieldValue> = Object.create(null);
  for (const pair of pairsOf(query)) {
    const [name, value] = pair ?? [];
    if (name !== undefined && value !== undefined && !(name in values)) values[name] = value;
  }
  return values;
}

/** `undefined`: one invalid pair fails the form. */
export function formValues(text: string): FieldValues | undefined {
  return pairsOf(text).includes(undefined) ? undefined : queryValues(text);
}

function pairsOf(text: string): ReadonlyArray<readonly [string, string] | undefined> {
  return text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      if (pair.includes(";")) return undefined;
      const equals = pair.indexOf("=");
      const name = unescaped(equals === -1 ? pair : pair.slice(0, equals));
      const value = equals === -1 ? "" : unescaped(pair.slice(equals + 1));
      return name === undefined || value === undefined ? undefined : [name, value];
    });
}

/** Bytes that are not UTF-8 become U+FFFD; only the escape itself can be wrong. */
function unescaped(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  if (!/[%+]/.test(text)) return text;
  const bytes = text
    .replaceAll("+", " ")
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part) => (/^%..$/.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part)));
  return Buffer.concat(bytes).toString("utf8");
}
