/** What a compiled expression is made of, and how its parts fail. */
import { describeKind } from "../types/describe.js";
import { Fault } from "../values/fault.js";
import type { Node, Value } from "../values/value.js";
import { Absent } from "./absent.js";

/** What an evaluation carries along besides the request. */
export interface Frame {
  /** Variables of `for` and `[*]`, by slot. */
  readonly slots: Value[];
  /** Contents of secrets by reference; absent before they are resolved. */
  readonly secrets: ReadonlyMap<string, string> | undefined;
  /** Elements that may still be looked at. */
  iterations: number;
}

export type Scope = Readonly<Record<string, unknown>>;
export type Step = (scope: Scope, frame: Frame) => Value | Absent;

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
  if (thrown instanceof Fault) return new Absent("failed", thrown.message, node.range);
  throw thrown;
}
