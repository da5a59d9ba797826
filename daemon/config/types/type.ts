/**
 * Types of values that are not known yet. Run-time expressions are checked with them at load time; `any` stands for
 * untrusted JSON, which is checked at run time.
 */
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";

export type Type =
  | { readonly kind: ScalarKind | "any" }
  | { readonly kind: "reference"; readonly block?: string }
  | { readonly kind: "list"; readonly items: Type }
  /** An object with these names; a value of it may lack any of them. */
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Type>> }
  /** An object with any names. */
  | { readonly kind: "map"; readonly values: Type }
  | { readonly kind: "union"; readonly of: readonly Type[] };

type ScalarKind =
  | "null"
  | "boolean"
  | "number"
  | "string"
  | "duration"
  | "size"
  | "percent"
  | "regex";

export const ANY: Type = { kind: "any" };
export const NULL: Type = { kind: "null" };
export const BOOLEAN: Type = { kind: "boolean" };
export const NUMBER: Type = { kind: "number" };
export const STRING: Type = { kind: "string" };
export const DURATION: Type = { kind: "duration" };
export const SIZE: Type = { kind: "size" };
export const PERCENT: Type = { kind: "percent" };
export const REGEX: Type = { kind: "regex" };
export const OBJECT: Type = { kind: "map", values: ANY };
export const LIST: Type = { kind: "list", items: ANY };
/** Types that a `${…}` accepts. */
export const TEXTUAL: Type = {
  kind: "union",
  of: [STRING, NUMBER, BOOLEAN, DURATION, SIZE, PERCENT],
};

export const listOf = (items: Type): Type => ({ kind: "list", items });

/** The narrowest type that covers all of `types`; `any` for none. */
export function unionOf(types: readonly Type[]): Type {
  const members = new Map<string, Type>();
  for (const type of types.flatMap((each) => (each.kind === "union" ? each.of : [each]))) {
    if (type.kind === "any") return ANY;
    members.set(JSON.stringify(type), type);
  }
  const [first, ...rest] = members.values();
  if (first === undefined) return ANY;
  return rest.length === 0 ? first : { kind: "union", of: [first, ...rest] };
}

/** The type that a declared type has inside expressions. */
export function typeOfDescriptor(descriptor: TypeDescriptor): Type {
  switch (descriptor.type) {
    case "string":
    case "path":
    case "host_pattern":
      return STRING;
    case "number":
    case "boolean":
    case "duration":
    case "size":
    case "percent":
    case "regex":
      return { kind: descriptor.type };
    case "enum":
      return unionOf(descriptor.values.map((each) => (typeof each === "number" ? NUMBER : STRING)));
    case "reference":
      return { kind: "reference", block: descriptor.kind };
    case "expression":
      return typeOfDescriptor(descriptor.returns);
    case "list":
      return listOf(typeOfDescriptor(descriptor.items));
    case "map":
      return { kind: "map", values: typeOfDescriptor(descriptor.values) };
    case "object":
      return {
        kind: "object",
        fields: Object.fromEntries(
          Object.entries(descriptor.attributes).map(([name, { type }]) => [
            name,
            typeOfDescriptor(type),
          ]),
        ),
      };
    case "union":
      return unionOf(descriptor.of.map(typeOfDescriptor));
    case "secret":
    case "any":
      return ANY;
  }
}

/** Whether a value of `type` is valid where `wanted` is expected: always, never or maybe. */
export function fits(type: Type, wanted: Type): "always" | "maybe" | "never" {
  if (wanted.kind === "any") return "always";
  if (type.kind === "any") return "maybe";
  if (type.kind === "union") return together(type.of.map((each) => fits(each, wanted)));
  if (wanted.kind === "union") return best(wanted.of.map((each) => fits(type, each)));
  if (type.kind === "list" && wanted.kind === "list") return weaken(fits(type.items, wanted.items));
  if (type.kind === "reference" && wanted.kind === "reference") {
    return wanted.block === undefined || wanted.block === type.block ? "always" : "never";
  }
  const isObjectType = type.kind === "map" || type.kind === "object";
  if (isObjectType && wanted.kind === "map") {
    const fields = type.kind === "map" ? [type.values] : Object.values(type.fields);
    const each = fields.map((field) => fits(field, wanted.values));
    return each.length === 0 ? "always" : weaken(together(each));
  }
  if (isObjectType && wanted.kind === "object") return "maybe";
  return type.kind === wanted.kind ? "always" : "never";
}

/** An empty list fits whatever its elements would have been. */
const weaken = (fit: "always" | "maybe" | "never") => (fit === "never" ? "maybe" : fit);

function together(fits: ReadonlyArray<"always" | "maybe" | "never">) {
  if (fits.every((fit) => fit === "always")) return "always";
  return fits.every((fit) => fit === "never") ? "never" : "maybe";
}

function best(fits: ReadonlyArray<"always" | "maybe" | "never">) {
  return fits.find((fit) => fit === "always") ?? fits.find((fit) => fit === "maybe") ?? "never";
}
