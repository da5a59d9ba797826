/** Checks of values unknown at load time: secrets and run-time values, with the name that makes them unknown. */
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { firstName, secretReferences } from "../expression/nodes.js";
import { toPlainValue } from "../expression/plain.js";
import { describeDescriptor, describeValue } from "../types/describe.js";
import { SecretValue } from "../values/secret.js";
import { isList, isObject, Residual, type Value } from "../values/value.js";
import { addMismatch, type TypeMismatch } from "./type-mismatch.js";

type Payload = Parameters<typeof addMismatch>[0];

export const VISIBLE =
  "values of this attribute are shown in plans and logs; secrets go into attributes made for them";

/** Why an unknown value is invalid where a known value of `type` is required. */
export function openMismatch(value: Residual, type: TypeDescriptor): TypeMismatch {
  const name = firstName(value.node);
  if (name) {
    return {
      code: "E214",
      complaint: `must be ${describeDescriptor(type)} that is known now`,
      label: `\`${name.name}\` is known only at run time`,
    };
  }
  return {
    code: "E215",
    complaint: "depends on a secret",
    help: VISIBLE,
  };
}

/** An attribute declared with `c.secret`. */
export function checkSecret(value: Value, payload: Payload): unknown {
  if (value instanceof Residual) {
    return value.secret && !value.later
      ? new SecretValue(value.node, secretReferences(value.node))
      : addMismatch(payload, openMismatch(value, { type: "secret" }));
  }
  if (typeof value !== "string") {
    return addMismatch(payload, {
      code: "E301",
      complaint: `must be a secret, not ${describeValue(value)}`,
    });
  }
  return addMismatch(payload, {
    code: "E306",
    complaint: "must be a secret, and this text can be read by anybody",
    label: 'write `secret("env:NAME")` or `secret("file:PATH")`',
  });
}

/** An attribute that takes any value; secrets in it stay secrets. */
export function checkAny(value: Value, payload: Payload): unknown {
  if (value instanceof Residual) {
    return value.later
      ? addMismatch(payload, openMismatch(value, { type: "any" }))
      : new SecretValue(value.node, secretReferences(value.node));
  }
  if (isList(value)) return value.map((item) => checkAny(item, payload));
  if (!isObject(value)) return toPlainValue(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, checkAny(each, payload)]),
  );
}
