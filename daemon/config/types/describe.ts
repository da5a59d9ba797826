/** Types and values in the words of messages: "a list of strings", "the string `"30s"`". */
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { LinearPattern } from "../values/pattern.js";
import { Quantity } from "../values/quantity.js";
import { renderValue } from "../values/render.js";
import { BlockReference, isList, isObject, Residual, type Value } from "../values/value.js";
import { type Type } from "./type.js";
import { typeOf } from "./value-type.js";

const singular: Readonly<Record<string, string>> = {
  any: "any value",
  null: "null",
  boolean: "true or false",
  number: "a number",
  string: "a string",
  duration: "a duration",
  size: "a size",
  percent: "a percentage",
  regex: "a regular expression",
  map: "an object",
  object: "an object",
};

const plural: Readonly<Record<string, string>> = {
  any: "values",
  null: "nulls",
  boolean: "truth values",
  number: "numbers",
  string: "strings",
  duration: "durations",
  size: "sizes",
  percent: "percentages",
  regex: "regular expressions",
  map: "objects",
  object: "objects",
};

/** `a list of strings`. */
export function describeType(type: Type): string {
  switch (type.kind) {
    case "reference":
      return type.block === undefined ? "a block" : `a reference to a \`${type.block}\` block`;
    case "list":
      return type.items.kind === "any" ? "a list" : `a list of ${describeMany(type.items)}`;
    case "union":
      return orList(type.of.map(describeType));
    default:
      return singular[type.kind] ?? type.kind;
  }
}

function describeMany(type: Type): string {
  if (type.kind === "list") return "lists";
  if (type.kind === "reference") return "blocks";
  if (type.kind === "union") return orList(type.of.map(describeMany));
  return plural[type.kind] ?? type.kind;
}

/** `a duration`, `one of "GET" and "POST"`: what a declared type accepts. */
export function describeDescriptor(type: TypeDescriptor): string {
  switch (type.type) {
    case "string":
      return type.patternMeaning === undefined ? "a string" : `a string of ${type.patternMeaning}`;
    case "number":
      return type.integer ? "a whole number" : "a number";
    case "secret":
      return "a secret";
    case "host_pattern":
      return "a host name or pattern";
    case "path":
      return "a path";
    case "enum":
      return type.values.length === 1
        ? `\`${renderValue(type.values[0] as string)}\``
        : `one of ${orList(type.values.map((value) => `\`${renderValue(value)}\``))}`;
    case "reference":
      return `a reference to a \`${type.kind}\` block`;
    case "expression":
      return describeDescriptor(type.returns);
    case "list":
      return `a list of ${describeManyOf(type.items)}`;
    case "map":
      return `an object of ${describeManyOf(type.values)}`;
    case "union":
      return orList([...new Set(type.of.map(describeDescriptor))]);
    default:
      return singular[type.type] ?? type.type;
  }
}

function describeManyOf(type: TypeDescriptor): string {
  switch (type.type) {
    case "secret":
      return "secrets";
    case "host_pattern":
      return "host names or patterns";
    case "path":
      return "paths";
    case "reference":
      return `references to \`${type.kind}\` blocks`;
    case "expression":
      return describeManyOf(type.returns);
    case "list":
      return "lists";
    case "enum":
      return orList(type.values.map((value) => `\`${renderValue(value)}\``));
    case "union":
      return orList([...new Set(type.of.map(describeManyOf))]);
    default:
      return plural[type.type] ?? type.type;
  }
}

/** A value with its kind, for "not …": ``the string `"30s"` ``. */
export function describeValue(value: Value): string {
  if (value === null) return "null";
  if (value instanceof Residual) {
    if (value.secret) return "a secret";
    return value.type.kind === "any" ? "a value known only at run time" : describeType(value.type);
  }
  if (value instanceof Quantity) return `the ${quantityWord[value.unit]} \`${value}\``;
  if (value instanceof LinearPattern) return "a regular expression";
  if (value instanceof BlockReference) return `the block \`${value.key}\``;
  if (isList(value)) return "a list";
  if (isObject(value)) return "an object";
  if (typeof value === "string") return `the string \`${renderValue(value)}\``;
  if (typeof value === "number") return `the number \`${renderValue(value)}\``;
  return `\`${value}\``;
}

const quantityWord = { duration: "duration", size: "size", percent: "percentage" } as const;

/** The kind of a value, without the value: for what came with a request. */
export function describeKind(value: Value): string {
  if (isList(value)) return "a list";
  return describeType(typeOf(value));
}

/** `a`, `a or b`, `a, b or c`. */
export function orList(words: readonly string[]): string {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
