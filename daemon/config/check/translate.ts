/**
 * Descriptors as zod schemas. The same schema checks an evaluated value and makes of it what the plugin sees, and
 * describes the attribute in JSON Schema.
 */
import * as z from "zod";
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { describeDescriptor, describeValue } from "../types/describe.js";
import { isObject, Residual, type Value, type ValueObject } from "../values/value.js";
import { defaultValue } from "./defaults.js";
import { checkExpression } from "./expression-check.js";
import { leafCheck } from "./leaves.js";
import { checkAny, checkSecret, openMismatch } from "./open-values.js";
import { addMismatch, type TypeMismatch } from "./type-mismatch.js";

const types = new WeakMap<z.core.$ZodType, TypeDescriptor>();

/** What a translated leaf or object is, for JSON Schema: to zod a leaf is a function that may accept anything. */
export const typeOfSchema = (schema: z.core.$ZodType): TypeDescriptor | undefined =>
  types.get(schema);

export class Translator {
  /** The namespace of the plugin that owns these types: `c.ref("chat")` refers to its own `acme.chat`. */
  readonly #namespace: string | undefined;
  readonly #schemas = new WeakMap<TypeDescriptor, z.ZodType>();

  constructor(namespace: string | undefined) {
    this.#namespace = namespace;
  }

  /** The schema of a type; the same one for the same descriptor. */
  schema(type: TypeDescriptor): z.ZodType {
    const known = this.#schemas.get(type);
    if (known) return known;
    const made = this.#translate(type);
    this.#schemas.set(type, made);
    return made;
  }

  #translate(type: TypeDescriptor): z.ZodType {
    switch (type.type) {
      case "list":
        return this.#list(type);
      case "map":
        return objectsOnly(type, z.record(z.string(), this.schema(type.values)));
      case "object":
        return objectsOnly(type, this.#object(type));
      case "union":
        return z.union(type.of.map((each) => this.schema(each)));
      case "expression": {
        const returns = this.schema(type.returns);
        return leaf(type, (value, payload) => checkExpression(type, returns, value, payload));
      }
      case "secret":
        return leaf(type, checkSecret);
      case "any":
        return leaf(type, checkAny);
      default:
        return leaf(type, leafCheck(type, this.#namespace));
    }
  }

  #list(type: Extract<TypeDescriptor, { type: "list" }>): z.ZodType {
    let list = z.array(this.schema(type.items));
    if (type.minItems !== undefined) list = list.min(type.minItems);
    if (type.maxItems !== undefined) list = list.max(type.maxItems);
    return type.unique ? list.check(uniqueItems) : list;
  }

  #object(type: Extract<TypeDescriptor, { type: "object" }>): z.ZodType {
    const shape = Object.entries(type.attributes).map(([name, attribute]) => {
      const schema = this.schema(attribute.type);
      const value = defaultValue(attribute);
      if (value !== undefined) return [name, schema.prefault(value)] as const;
      return [name, attribute.required ? schema : schema.optional()] as const;
    });
    const object = z.strictObject(Object.fromEntries(shape));
    types.set(object, type);
    return object;
  }
}

type Check = (value: Value, payload: { issues: unknown[]; value: unknown }) => unknown;

function leaf(type: TypeDescriptor, check: Check): z.ZodType {
  const schema = z.transform((value, payload) => check(value as Value, payload));
  types.set(schema, type);
  return schema;
}

/** The one name that JavaScript would not keep: it is refused before it is lost. */
const PROTOTYPE = "__proto__";
const NO_PROTOTYPE: TypeMismatch = {
  code: "E301",
  complaint: `cannot have the name \`${PROTOTYPE}\` in it`,
};

/** Quantities and the like are objects to JavaScript and none to the language. */
function objectsOnly(type: TypeDescriptor, inner: z.ZodType): z.ZodType {
  const guard = z.transform((value, payload) => {
    if (isObject(value) && !Object.hasOwn(value, PROTOTYPE)) return value;
    if (isObject(value)) return addMismatch(payload, NO_PROTOTYPE);
    if (value instanceof Residual) return addMismatch(payload, openMismatch(value, type));
    return addMismatch(payload, {
      code: "E301",
      complaint: `must be ${describeDescriptor(type)}, not ${describeValue(value as Value)}`,
    });
  });
  return guard.pipe(inner as z.ZodType<unknown, ValueObject>);
}

function uniqueItems(payload: { readonly value: readonly unknown[]; issues: unknown[] }): void {
  const seen = new Map<string, number>();
  for (const [index, item] of payload.value.entries()) {
    const text = JSON.stringify(item) ?? "null";
    const first = seen.get(text);
    if (first === undefined) seen.set(text, index);
    else {
      const mismatch: TypeMismatch = {
        code: "E317",
        complaint: `is in the list already, at position ${first}`,
      };
      addMismatch(payload, mismatch, [index]);
    }
  }
}
