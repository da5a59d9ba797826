/** What a compiled expression is made of, and how its parts fail. */

import { limits } from "../limits.js";
import { describeKind } from "../types/describe.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { isList, type Node, type Value } from "../values/value.js";
import { Absent } from "./absent.js";

/** What an evaluation carries along besides the request. */
export interface Frame {
  /** Variables of `for` and `[*]`, by slot. */
  readonly slots: Value[];
  /** Contents of secrets by reference; absent before they are resolved. */
  readonly secrets: ReadonlyMap<string, string> | undefined;
  /** Elements that may still be looked at. */
  looks: number;
}

export type Scope = Readonly<Record<string, unknown>>;
export type Step = (scope: Scope, frame: Frame) => Value | Absent;

/** How many elements an operator or function may have to look at in a value. */
export function effort(value: Value): number {
  if (typeof value === "string") return value.length >>> 8;
  return isList(value) ? value.length : 0;
}

/** What a stranger sent is not worth more work. */
export const exceedsWorkLimit = (node: Node): Absent =>
  new Absent("failed", `this looks at more than ${limits.looks} elements`, node.range);

/** A truth value, or why it is none. */
export function condition(value: Value | Absent, node: Node): boolean | Absent {
  if (typeof value === "boolean" || value instanceof Absent) return value;
  return new Absent(
    "failed",
    `a condition must be true or false, not ${describeKind(value)}`,
    node.range,
  );
}

/** The value, or the fault as an outcome. */
export function guarded(node: Node, compute: () => Value): Value | Absent {
  try {
    return compute();
  } catch (thrown) {
    return failed(thrown, node);
  }
}

/** Only faults are answers; anything else that is thrown is a bug and goes on. */
export function failed(thrown: unknown, node: Node): Absent {
  if (thrown instanceof EvaluationError) return new Absent("failed", thrown.message, node.range);
  throw thrown;
}
