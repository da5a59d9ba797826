/** Drafts in a checked value become what they stand for, now that their places are known. */
import { isObject } from "../values/value.js";
import { type DraftLocation, isDraft } from "./draft.js";

export function finish(
  value: unknown,
  path: ReadonlyArray<string | number>,
  whereabouts: (path: ReadonlyArray<string | number>) => DraftLocation,
): unknown {
  if (isDraft(value)) return value.finish(whereabouts(path));
  if (Array.isArray(value)) {
    return value.map((item, index) => finish(item, [...path, index], whereabouts));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, finish(each, [...path, name], whereabouts)]),
  );
}
