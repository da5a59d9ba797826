/** Drafts in a checked value become what they stand for, now that their places are known. */
import { isObject } from "../values/value.js";
import { type DraftLocation, isDraft } from "./draft.js";

export function toCheckedValue(
  value: unknown,
  path: ReadonlyArray<string | number>,
  valueLocations: (path: ReadonlyArray<string | number>) => DraftLocation,
): unknown {
  if (isDraft(value)) return value.finish(valueLocations(path));
  if (Array.isArray(value)) {
    return value.map((item, index) => toCheckedValue(item, [...path, index], valueLocations));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      toCheckedValue(each, [...path, name], valueLocations),
    ]),
  );
}
