/** Operators on known values, used at load time and per request. */
import { compareValues, equalValues } from "../functions/compare.js";
import { limits } from "../limits.js";
import { describeKind } from "../types/describe.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { LinearPattern } from "../values/pattern.js";
import { Quantity } from "../values/quantity.js";
import { isList, isObject, type RunTimeOperator, type Value } from "../values/value.js";

/** The operators that look at both sides in every case. */
export type StrictOperator = Exclude<RunTimeOperator, "??" | "||" | "&&">;

/** @throws Fault where the operator does not go with these values. */
export function applyOperator(operator: StrictOperator, left: Value, right: Value): Value {
  switch (operator) {
    case "==":
      return equalValues(left, right);
    case "!=":
      return !equalValues(left, right);
    case "=~":
      return matchOperator(left, right);
    case "in":
      return membership(left, right);
    case "<":
      return compareValues(left, right) < 0;
    case "<=":
      return compareValues(left, right) <= 0;
    case ">":
      return compareValues(left, right) > 0;
    case ">=":
      return compareValues(left, right) >= 0;
    case "+":
      return sum(left, right);
    case "-":
      return difference(left, right);
    case "*":
      return product(left, right);
    case "/":
      return quotient(left, right);
    case "%":
      return remainder(left, right);
  }
}

/** `-x` of a number or quantity. */
export function negate(value: Value): Value {
  if (typeof value === "number") return -value;
  if (value instanceof Quantity) return new Quantity(value.unit, -value.amount);
  throw new EvaluationError(`\`-\` does not go with ${describeKind(value)}`, { code: "E307" });
}

function matchOperator(left: Value, right: Value): boolean {
  if (typeof left === "string" && right instanceof LinearPattern) return right.test(left);
  throw mismatch("=~", left, right);
}

function membership(left: Value, right: Value): boolean {
  if (isList(right)) return right.some((item) => equalValues(item, left));
  if (isObject(right) && typeof left === "string") return Object.hasOwn(right, left);
  throw mismatch("in", left, right);
}

function sum(left: Value, right: Value): Value {
  if (typeof left === "number" && typeof right === "number") return finite(left + right);
  if (typeof left === "string" && typeof right === "string") {
    if (left.length + right.length > limits.string) {
      throw new EvaluationError(`the string would be longer than ${limits.string} characters`, {
        code: "E406",
      });
    }
    return left + right;
  }
  return sameUnit("+", left, right, (a, b) => a + b);
}

function difference(left: Value, right: Value): Value {
  if (typeof left === "number" && typeof right === "number") return finite(left - right);
  return sameUnit("-", left, right, (a, b) => a - b);
}

function product(left: Value, right: Value): Value {
  if (typeof left === "number" && typeof right === "number") return finite(left * right);
  if (isPercent(left)) return share(left.amount, right);
  if (isPercent(right)) return share(right.amount, left);
  if (left instanceof Quantity && typeof right === "number") return scaled(left, right);
  if (typeof left === "number" && right instanceof Quantity) return scaled(right, left);
  throw mismatch("*", left, right);
}

const isPercent = (value: Value): value is Quantity =>
  value instanceof Quantity && value.unit === "percent";

/** `50% * 2GiB` is `1GiB`, `50% * 30` is `15`. */
function share(ratio: number, of: Value): Value {
  if (typeof of === "number") return finite(ratio * of);
  if (of instanceof Quantity) return scaled(of, ratio);
  throw mismatch("*", new Quantity("percent", ratio), of);
}

function quotient(left: Value, right: Value): Value {
  const divisor = right instanceof Quantity ? right.amount : right;
  if (divisor === 0) throw new EvaluationError("this divides by zero", { code: "E312" });
  if (typeof left === "number" && typeof right === "number") return finite(left / right);
  if (left instanceof Quantity && typeof right === "number") return scaled(left, 1 / right);
  if (left instanceof Quantity && right instanceof Quantity && left.unit === right.unit) {
    return finite(left.amount / right.amount);
  }
  throw mismatch("/", left, right);
}

function remainder(left: Value, right: Value): Value {
  const divisor = right instanceof Quantity ? right.amount : right;
  if (divisor === 0) throw new EvaluationError("this divides by zero", { code: "E312" });
  if (typeof left === "number" && typeof right === "number") return left % right;
  return sameUnit("%", left, right, (a, b) => a % b);
}

function sameUnit(
  operator: string,
  left: Value,
  right: Value,
  compute: (a: number, b: number) => number,
): Quantity {
  if (left instanceof Quantity && right instanceof Quantity && left.unit === right.unit) {
    return new Quantity(left.unit, finite(compute(left.amount, right.amount)));
  }
  throw mismatch(operator, left, right);
}

const scaled = (quantity: Quantity, factor: number): Quantity =>
  new Quantity(quantity.unit, finite(quantity.amount * factor));

function finite(result: number): number {
  if (Number.isFinite(result)) return result;
  throw new EvaluationError("the result is too large a number", { code: "E312" });
}

function mismatch(operator: string, left: Value, right: Value): EvaluationError {
  const help =
    operator === "+" && (typeof left === "string" || typeof right === "string")
      ? 'put values into a string with `"${…}"`'
      : operator === "+" && isList(left)
        ? "`concat(…)` joins lists"
        : undefined;
  return new EvaluationError(
    `\`${operator}\` does not go with ${describeKind(left)} and ${describeKind(right)}`,
    { code: "E307", ...(help === undefined ? {} : { help }) },
  );
}
