/** When two values of two programs are the same: by what they mean, never by where they stand. */
import { RunTimeExpression } from "../expression/expression.js";
import { sameNode } from "../expression/nodes.js";
import { ownProperty } from "../own-property.js";
import { ConfiguredBlock } from "./block.js";
import { LinearPattern } from "./pattern.js";
import { SecretValue } from "./secret.js";
import { BlockReference, isObject } from "./value.js";

/** Compares what `ProgramBlock.values` holds. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameValue(item, b[index]))
    );
  }
  if (a instanceof SecretValue) return b instanceof SecretValue && sameSecret(a, b);
  if (a instanceof RunTimeExpression) {
    return b instanceof RunTimeExpression && sameExpression(a, b);
  }
  if (a instanceof LinearPattern) {
    return b instanceof LinearPattern && a.source === b.source && a.flags === b.flags;
  }
  if (a instanceof BlockReference) return b instanceof BlockReference && a.key === b.key;
  if (a instanceof ConfiguredBlock) {
    return (
      b instanceof ConfiguredBlock &&
      sameValue(a.labels, b.labels) &&
      sameEntries(a.values, b.values)
    );
  }
  return isObject(a) && isObject(b) && sameEntries(a, b);
}

/** By content where both are resolved; by what they are made of otherwise. */
function sameSecret(a: SecretValue, b: SecretValue): boolean {
  return a.sameContentAs(b) ?? sameNode(a.node, b.node);
}

function sameExpression(a: RunTimeExpression, b: RunTimeExpression): boolean {
  const { secrets } = a;
  const others = b.secrets;
  if (!secrets || !others) return sameNode(a.parts.node, b.parts.node);
  const sameContent = (one: string, other: string) => secrets.get(one) === others.get(other);
  return sameNode(a.parts.node, b.parts.node, sameContent);
}

/** A value that is not there is the same as one that is `undefined`. */
export function sameEntries(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): boolean {
  for (const name of Object.keys(a)) if (!sameValue(a[name], ownProperty(b, name))) return false;
  for (const name of Object.keys(b)) {
    if (!Object.hasOwn(a, name) && b[name] !== undefined) return false;
  }
  return true;
}
