/** Converts a value to text for `${…}`, `join` and `format("%s")`. */

import { describeKind } from "../types/describe.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { Quantity } from "../values/quantity.js";
import type { Value } from "../values/value.js";

/** Scalars as the language writes them, strings without quotes. @throws Fault for null, lists, objects and the like. */
export function valueText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value instanceof Quantity) return value.toString();
  const help =
    value === null
      ? 'write `?? ""` behind it to say what to put there'
      : "`json_encode(…)` or `join(…)` makes a string of it";
  throw new EvaluationError(`${describeKind(value)} cannot stand in a string`, {
    code: "E319",
    help,
  });
}
