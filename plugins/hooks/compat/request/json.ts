/** Parses JSON of requests; numbers keep their text. */
import { tooDeepAt } from "../../decide/json.js";
import { jsonFault } from "./json-fault.js";
import { type FieldValue, type FieldValues, isValues, SourceNumber } from "./value.js";

export type ValuesReading =
  | { readonly ok: true; readonly value: FieldValues }
  | { readonly ok: false; readonly message: string };

const no = (message: string): ValuesReading => ({ ok: false, message });

const BYTE_ORDER_MARK = 0xfeff;

/**
 * An object, or a list as `{ root: list }`. `first`: text after the first value is ignored.
 */
export function parseJson(text: string, first = false): ValuesReading {
  const fault = (): string => jsonFault(text, isList(text)) ?? "it is not valid JSON";
  if (text.trim() === "" || text.charCodeAt(0) === BYTE_ORDER_MARK) return no(fault());
  if (tooDeepAt(text) !== undefined) return no("it is nested too deeply");
  const value = parsed(text) ?? (first ? parsed(firstValue(text)) : undefined);
  if (value === undefined) return no(fault());
  if (Array.isArray(value.of)) return { ok: true, value: { root: value.of } };
  return isValues(value.of) ? { ok: true, value: value.of } : no(fault());
}

/** By its first character. */
export const isList = (text: string): boolean => /^\s*\[/.test(text);

function parsed(text: string): { readonly of: FieldValue } | undefined {
  const parse = JSON.parse as (text: string, reviver: Reviver) => FieldValue;
  try {
    return {
      of: parse(text, (_name, value, { source }) =>
        typeof value === "number" ? new SourceNumber(source ?? String(value)) : value,
      ),
    };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return undefined;
  }
}
/** The third argument is missing in the library's types. */
type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The text up to the bracket that closes the first one. */
function firstValue(text: string): string {
  let depth = 0;
  // A string that is not closed is one token to the end, so that it is read once.
  const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth === 0) return text.slice(0, index + token.length);
  }
  return text;
}
