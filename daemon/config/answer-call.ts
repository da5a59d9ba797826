/** Asks a plugin to carry out one of its functions, and makes a value of the language of what it gives. */
import { errorMessage } from "../errors.js";
import type { InputRequest, InputValue } from "./inputs.js";
import type { BoundCatalog } from "./program.js";
import { describeKind, describeType } from "./types/describe.js";
import { typeOfDescriptor } from "./types/type.js";
import { holds } from "./types/value-type.js";
import { toSource } from "./values/as-written.js";
import { isList, isObject, objectOf, type Value } from "./values/value.js";

export async function answerCall(
  need: Extract<InputRequest, { kind: "call" }>,
  bound: BoundCatalog | undefined,
): Promise<InputValue> {
  const plugin = bound?.plugins.find(({ description }) => description.id === need.plugin);
  const descriptor = plugin?.description.functions[need.name];
  if (!plugin || !descriptor) return { kind: "refused", message: "there is no such function" };
  try {
    const given = await plugin.call(need.name, need.arguments);
    const value = adopt(toSource(given, descriptor.returns));
    const type = typeOfDescriptor(descriptor.returns);
    if (holds(type, value)) return { kind: "value", value };
    const message = `it gave ${describeKind(value)}, not ${describeType(type)}`;
    return { kind: "refused", message };
  } catch (thrown) {
    return { kind: "refused", message: errorMessage(thrown) };
  }
}

function adopt(data: unknown): Value {
  if (isList(data)) return data.map(adopt);
  if (!isObject(data)) return (data ?? null) as Value;
  return objectOf(Object.entries(data).map(([name, each]) => [name, adopt(each)]));
}
