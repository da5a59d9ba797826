/** Equality and order of values, for operators and functions alike. */
import { describeKind } from "../types/describe.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { LinearPattern } from "../values/pattern.js";
import { Quantity } from "../values/quantity.js";
import { BlockReference, isList, isObject, type Value } from "../values/value.js";

/** By content; values of different kinds are never equal. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Quantity) {
    return b instanceof Quantity && a.unit === b.unit && a.amount === b.amount;
  }
  if (a instanceof LinearPattern) {
    return b instanceof LinearPattern && a.source === b.source && a.flags === b.flags;
  }
  if (a instanceof BlockReference) return b instanceof BlockReference && a.key === b.key;
  if (isList(a)) {
    return (
      isList(b) &&
      a.length === b.length &&
      a.every((item, index) => equalValues(item, b[index] as Value))
    );
  }
  if (!isObject(a) || !isObject(b) || isList(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalValues(a[name] as Value, b[name] as Value))
  );
}

/** Negative, zero or positive. @throws Fault where the two have no order. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  if (a instanceof Quantity && b instanceof Quantity && a.unit === b.unit) {
    return a.amount - b.amount;
  }
  throw new EvaluationError(`${describeKind(a)} and ${describeKind(b)} have no order`, {
    code: "E307",
  });
}
