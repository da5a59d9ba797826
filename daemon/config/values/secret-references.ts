/** The secrets that values are made of. */
import { RunTimeExpression } from "../expression/expression.js";
import { secretReferences } from "../expression/nodes.js";
import { ConfiguredBlock } from "./block.js";
import { SecretValue } from "./secret.js";
import { isObject } from "./value.js";

/** References such as `env:TOKEN`; one that no value uses any more is left out. */
export function secretsIn(values: Readonly<Record<string, unknown>>): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (value instanceof SecretValue) for (const each of value.references) found.add(each);
    else if (value instanceof RunTimeExpression) {
      if (value.parts.secret)
        for (const each of secretReferences(value.parts.node)) found.add(each);
    } else if (value instanceof ConfiguredBlock) Object.values(value.values).forEach(visit);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) Object.values(value).forEach(visit);
  };
  visit(values);
  return found.size === 0 ? NONE : [...found];
}

const NONE: readonly string[] = [];
