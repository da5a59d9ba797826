/** What the two forms of `for` go through. */
import { describeValue } from "../types/describe.js";
import { quoteString } from "./render.js";
import { isList, isObject, type Value } from "./value.js";

/** Index and element of a list; name and value of an object, if the loop has a variable for the name. */
export function roundsOf(
  value: Value,
  hasKey: boolean,
): Iterable<readonly [string | number, Value]> | undefined {
  if (isList(value)) return value.entries();
  return isObject(value) && hasKey ? Object.entries(value) : undefined;
}

/** What is wrong with the name of an entry of a new object. */
export function wrongName(name: Value, entries: ReadonlyMap<string, unknown>): string | undefined {
  if (typeof name !== "string") {
    return `the name of an entry must be a string, not ${describeValue(name)}`;
  }
  return entries.has(name) ? `${quoteString(name)} is in this object twice` : undefined;
}
