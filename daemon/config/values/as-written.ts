/** Values of a program as the language would have them: what a plugin sees as a bare number gets its unit back. */
import type { BlockDescriptor, TypeDescriptor } from "../../plugin-api/descriptor.js";
import { ownProperty } from "../own-property.js";
import { ConfiguredBlock } from "./block.js";
import { Quantity } from "./quantity.js";
import { isObject } from "./value.js";

/** For showing and comparing; `type` is what the value's attribute was declared with. */
export function toSource(value: unknown, type: TypeDescriptor | undefined): unknown {
  if (!type || value === null || value === undefined) return value;
  switch (type.type) {
    case "duration":
    case "size":
    case "percent":
      return typeof value === "number" ? new Quantity(type.type, value) : value;
    case "list":
      return Array.isArray(value) ? value.map((item) => toSource(item, type.items)) : value;
    case "map":
      return mapped(value, () => type.values);
    case "object":
      return mapped(value, (name) => ownProperty(type.attributes, name)?.type);
    case "union":
      return toSource(value, branchFor(value, type.of));
    default:
      return value;
  }
}

/** A block, or a list of blocks, with every value as it would be written. Kinds of nested blocks that it lacks are left out. */
export function blockAsWritten(value: unknown, descriptor: BlockDescriptor): unknown {
  if (Array.isArray(value)) return value.map((each) => blockAsWritten(each, descriptor));
  if (!(value instanceof ConfiguredBlock)) return value;
  const { attributes, blocks } = descriptor;
  const values = Object.entries(value.values).flatMap(([name, each]) => {
    const nested = ownProperty(blocks, name);
    if (!nested) return [[name, toSource(each, ownProperty(attributes, name)?.type)]];
    return Array.isArray(each) && each.length === 0 ? [] : [[name, blockAsWritten(each, nested)]];
  });
  return new ConfiguredBlock({ ...value, values: Object.fromEntries(values) });
}

function mapped(value: unknown, typeOf: (name: string) => TypeDescriptor | undefined): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, toSource(each, typeOf(name))]),
  );
}

/** A bare number is a number where the union has numbers, else the first quantity it has. */
function branchFor(value: unknown, types: readonly TypeDescriptor[]): TypeDescriptor | undefined {
  const kinds = (wanted: readonly string[]) => types.find(({ type }) => wanted.includes(type));
  if (typeof value === "number") {
    return kinds(["number", "enum"]) ?? kinds(["duration", "size", "percent"]);
  }
  if (Array.isArray(value)) return kinds(["list"]);
  return isObject(value) ? kinds(["object", "map"]) : undefined;
}
