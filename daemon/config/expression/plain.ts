/** Values as plugins see them: quantities as bare numbers, objects and lists plain. */
import { Quantity } from "../values/quantity.js";
import { isList, isObject, type Value } from "../values/value.js";

export function toPlainValue(value: Value): unknown {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Quantity) return value.amount;
  if (isList(value)) return holdsQuantity(value) ? value.map(toPlainValue) : value;
  if (!isObject(value) || !holdsQuantity(Object.values(value))) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, toPlainValue(each)]),
  );
}

/** Most lists and objects come from a request as they are and need no copy. */
function holdsQuantity(values: readonly Value[]): boolean {
  return values.some(
    (value) =>
      value instanceof Quantity ||
      (isList(value) && holdsQuantity(value)) ||
      (isObject(value) && holdsQuantity(Object.values(value))),
  );
}
