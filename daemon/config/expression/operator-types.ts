/** Result types of operators, from the types of their operands. */
import { ANY, BOOLEAN, fits, NUMBER, type Type, unionOf } from "../types/type.js";
import type { StrictOperator } from "./operators.js";

/** The type of the result; `undefined` if the operator does not accept these types. */
export function operatorType(operator: StrictOperator, left: Type, right: Type): Type | undefined {
  const results = members(left).flatMap((l) =>
    members(right).flatMap((r) => pairType(operator, l, r) ?? []),
  );
  return results.length === 0 ? undefined : unionOf(results);
}

const members = (type: Type): readonly Type[] => (type.kind === "union" ? type.of : [type]);

function pairType(operator: StrictOperator, left: Type, right: Type): Type | undefined {
  switch (operator) {
    case "==":
    case "!=":
      return comparable(left, right) ? BOOLEAN : undefined;
    case "=~":
      return is(left, "string") && right.kind === "regex" ? BOOLEAN : undefined;
    case "in":
      return membershipType(left, right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return ordered(left, right) ? BOOLEAN : undefined;
    default:
      return arithmeticType(operator, left, right);
  }
}

const is = (type: Type, kind: Type["kind"]): boolean => type.kind === kind || type.kind === "any";
const units = new Set<Type["kind"]>(["duration", "size", "percent"]);

/** Whether two values of these types can be equal; everything may be compared with null. */
function comparable(left: Type, right: Type): boolean {
  if (left.kind === "null" || right.kind === "null") return true;
  return fits(left, right) !== "never" || fits(right, left) !== "never";
}

function membershipType(left: Type, right: Type): Type | undefined {
  if (right.kind === "any") return BOOLEAN;
  if (right.kind === "list") return comparable(left, right.items) ? BOOLEAN : undefined;
  const isObject = right.kind === "map" || right.kind === "object";
  return isObject && is(left, "string") ? BOOLEAN : undefined;
}

function ordered(left: Type, right: Type): boolean {
  if (left.kind === "any") return right.kind === "any" || orderable(right);
  if (right.kind === "any") return orderable(left);
  return left.kind === right.kind && orderable(left);
}

const orderable = (type: Type): boolean =>
  type.kind === "number" || type.kind === "string" || units.has(type.kind);

function arithmeticType(
  operator: "+" | "-" | "*" | "/" | "%",
  left: Type,
  right: Type,
): Type | undefined {
  if (left.kind === "any" || right.kind === "any") {
    const other = left.kind === "any" ? right : left;
    return other.kind === "any" || is(other, "number") || units.has(other.kind)
      ? ANY
      : operator === "+" && other.kind === "string"
        ? other
        : undefined;
  }
  const same = left.kind === right.kind;
  if (operator === "+" && same && left.kind === "string") return left;
  if (same && left.kind === "number") return NUMBER;
  const leftUnit = units.has(left.kind);
  const rightUnit = units.has(right.kind);
  if (operator === "*") {
    const measured = (type: Type) => type.kind === "number" || units.has(type.kind);
    if (left.kind === "percent") return measured(right) ? right : undefined;
    if (right.kind === "percent") return measured(left) ? left : undefined;
    if (leftUnit && right.kind === "number") return left;
    return left.kind === "number" && rightUnit ? right : undefined;
  }
  if (operator === "/") {
    if (leftUnit && right.kind === "number") return left;
    return leftUnit && same ? NUMBER : undefined;
  }
  return leftUnit && same ? left : undefined;
}
