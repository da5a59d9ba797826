/**
 * Checks the result of a run-time expression against its attribute's type, if the types were not conclusive at load
 * time.
 */
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { describeDescriptor, describeKind } from "../types/describe.js";
import { compilePattern, LinearPattern } from "../values/pattern.js";
import { Quantity } from "../values/quantity.js";
import { BlockReference, isList, isObject, type Value } from "../values/value.js";

/** What is wrong with the value, as the end of "gives …"; `undefined` where it is accepted. */
export function refusal(wanted: TypeDescriptor, value: Value, secret: boolean): string | undefined {
  if (accepts(wanted, value, secret)) return undefined;
  const got = secret ? "a secret" : describeKind(value);
  return `${got}, not ${describeDescriptor(wanted)}`;
}

function accepts(wanted: TypeDescriptor, value: Value, secret: boolean): boolean {
  switch (wanted.type) {
    case "any":
      return true;
    case "secret":
      return secret && (typeof value === "string" || typeof value === "number");
    case "union":
      return wanted.of.some((type) => accepts(type, value, secret));
    case "expression":
      return accepts(wanted.returns, value, secret);
    default:
      return !secret && acceptsPlain(wanted, value);
  }
}

function acceptsPlain(wanted: TypeDescriptor, value: Value): boolean {
  switch (wanted.type) {
    case "string":
      return typeof value === "string" && acceptsText(wanted, value);
    case "path":
    case "host_pattern":
      return typeof value === "string";
    case "number":
      return (
        typeof value === "number" &&
        (!wanted.integer || Number.isInteger(value)) &&
        within(wanted, value)
      );
    case "boolean":
      return typeof value === "boolean";
    case "duration":
    case "size":
    case "percent":
      return (
        value instanceof Quantity && value.unit === wanted.type && within(wanted, value.amount)
      );
    case "regex":
      return value instanceof LinearPattern;
    case "enum":
      return wanted.values.includes(value as string | number);
    case "reference":
      return value instanceof BlockReference && value.kind === wanted.kind;
    case "list":
      return isList(value) && value.every((item) => accepts(wanted.items, item, false));
    case "map":
      return (
        isObject(value) && Object.values(value).every((each) => accepts(wanted.values, each, false))
      );
    case "object":
      return (
        isObject(value) &&
        Object.entries(wanted.attributes).every(([name, { type, required }]) =>
          Object.hasOwn(value, name) ? accepts(type, value[name] as Value, false) : !required,
        )
      );
    default:
      return false;
  }
}

function acceptsText(wanted: Extract<TypeDescriptor, { type: "string" }>, value: string): boolean {
  if (value.length < (wanted.minLength ?? 0)) return false;
  if (value.length > (wanted.maxLength ?? Number.POSITIVE_INFINITY)) return false;
  if (wanted.pattern === undefined) return true;
  const pattern = compilePattern(wanted.pattern, "");
  return !(pattern instanceof LinearPattern) || pattern.test(value);
}

const within = (bounds: { readonly minimum?: number; readonly maximum?: number }, value: number) =>
  value >= (bounds.minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= (bounds.maximum ?? Number.POSITIVE_INFINITY);
