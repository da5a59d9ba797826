/** The types of values: what a known value is, and whether a type accepts it. */
import { LinearPattern } from "../values/pattern.js";
import { Quantity } from "../values/quantity.js";
import { BlockReference, isList, isObject, Residual, type Value } from "../values/value.js";
import {
  BOOLEAN,
  LIST,
  listOf,
  NULL,
  NUMBER,
  OBJECT,
  REGEX,
  STRING,
  type Type,
  unionOf,
} from "./type.js";

/** Longer lists, larger objects and deeper levels are not examined. */
const LOOKED_AT = 64;
const DEPTH = 4;

/** The type of a known value. */
export function typeOf(value: Value, depth: number = DEPTH): Type {
  if (value === null) return NULL;
  if (typeof value === "boolean") return BOOLEAN;
  if (typeof value === "number") return NUMBER;
  if (typeof value === "string") return STRING;
  if (value instanceof Quantity) return { kind: value.unit };
  if (value instanceof LinearPattern) return REGEX;
  if (value instanceof BlockReference) return { kind: "reference", block: value.kind };
  if (value instanceof Residual) return value.type;
  if (isList(value)) {
    if (value.length > LOOKED_AT || depth === 0) return LIST;
    return listOf(unionOf(value.map((item) => typeOf(item, depth - 1))));
  }
  const entries = Object.entries(value);
  if (entries.length > LOOKED_AT || depth === 0) return OBJECT;
  return {
    kind: "object",
    fields: Object.fromEntries(entries.map(([name, each]) => [name, typeOf(each, depth - 1)])),
  };
}

/** Whether a type accepts a value. References are compared by the kind of their block. */
export function holds(wanted: Type, value: Value): boolean {
  switch (wanted.kind) {
    case "any":
      return true;
    case "null":
      return value === null;
    case "boolean":
    case "number":
    case "string":
      return typeof value === wanted.kind;
    case "duration":
    case "size":
    case "percent":
      return value instanceof Quantity && value.unit === wanted.kind;
    case "regex":
      return value instanceof LinearPattern;
    case "reference":
      return (
        value instanceof BlockReference &&
        (wanted.block === undefined || wanted.block === value.kind)
      );
    case "list":
      return (
        isList(value) &&
        (wanted.items.kind === "any" || value.every((item) => holds(wanted.items, item)))
      );
    case "map":
      return (
        isObject(value) &&
        (wanted.values.kind === "any" ||
          Object.values(value).every((each) => holds(wanted.values, each)))
      );
    case "object":
      return (
        isObject(value) &&
        Object.entries(wanted.fields).every(
          ([name, type]) => !Object.hasOwn(value, name) || holds(type, value[name] as Value),
        )
      );
    case "union":
      return wanted.of.some((type) => holds(type, value));
  }
}
