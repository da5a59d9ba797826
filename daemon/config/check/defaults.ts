/** Defaults of attributes: constant expressions in the language, worked out once. */
import type { AttributeDescriptor } from "../../plugin-api/descriptor.js";
import { constantValue } from "../evaluate/constant.js";
import { isObject, type Value } from "../values/value.js";

const known = new WeakMap<AttributeDescriptor, { readonly value: Value | undefined }>();

/** `undefined` if there is no default or it cannot be evaluated; `checkDescription` reports the latter. */
export function defaultValue(attribute: AttributeDescriptor): Value | undefined {
  if (attribute.default === undefined) return undefined;
  const found = known.get(attribute);
  if (found) return found.value;
  const result = constantValue(attribute.default);
  const value = isObject(result) && "faults" in result ? undefined : (result as Value);
  known.set(attribute, { value });
  return value;
}
