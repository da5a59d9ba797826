/** Values that are not known yet: secrets where they may stand, everything else with a culprit. */
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { firstName, secretReferences } from "../expression/nodes.js";
import { plainValue } from "../expression/plain.js";
import { describeDescriptor, describeValue } from "../types/describe.js";
import { SecretValue } from "../values/secret.js";
import { isList, isObject, Residual, type Value } from "../values/value.js";
import { refuse, type TypeMismatch } from "./type-mismatch.js";

type Payload = Parameters<typeof refuse>[0];

export const VISIBLE =
  "values of this attribute are shown in plans and logs; secrets go into attributes made for them";

/** Why an open value cannot stand where one of `type` is wanted now. */
export function openMisfit(value: Residual, type: TypeDescriptor): TypeMismatch {
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
      : refuse(payload, openMisfit(value, { type: "secret" }));
  }
  if (typeof value !== "string") {
    return refuse(payload, {
      code: "E301",
      complaint: `must be a secret, not ${describeValue(value)}`,
    });
  }
  return refuse(payload, {
    code: "E306",
    complaint: "must be a secret, and this text can be read by anybody",
    label: 'write `secret("env:NAME")` or `secret("file:PATH")`',
  });
}

/** An attribute that takes any value; secrets in it stay secrets. */
export function checkAny(value: Value, payload: Payload): unknown {
  if (value instanceof Residual) {
    return value.later
      ? refuse(payload, openMisfit(value, { type: "any" }))
      : new SecretValue(value.node, secretReferences(value.node));
  }
  if (isList(value)) return value.map((item) => checkAny(item, payload));
  if (!isObject(value)) return plainValue(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, checkAny(each, payload)]),
  );
}
