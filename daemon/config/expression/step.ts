/** The parts of a compiled expression and their errors. */

import { type Range } from "../../plugin-api/values.js";
import { limits } from "../limits.js";
import { describeKind } from "../types/describe.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { isList, type Value, type ValueNode } from "../values/value.js";

/** The state of an evaluation besides the request. */
export interface EvaluationFrame {
  /** Variables of `for` and `[*]`, by slot. */
  readonly slots: Value[];
  /** Contents of secrets by reference; absent before they are resolved. */
  readonly secrets: ReadonlyMap<string, string> | undefined;
  /** The remaining number of elements that may be examined. */
  looks: number;
}

export type RequestScope = Readonly<Record<string, unknown>>;
export type CompiledNode = (scope: RequestScope, frame: EvaluationFrame) => Value | Absent;

/** The number of elements that an operator or function may examine in a value. */
export function effort(value: Value): number {
  if (typeof value === "string") return value.length >>> 8;
  return isList(value) ? value.length : 0;
}

/** Bounds the work for untrusted input. */
export const exceedsWorkLimit = (node: ValueNode): Absent =>
  new Absent("failed", `this looks at more than ${limits.looks} elements`, node.range);

/** A boolean, or the reason why the value is not one. */
export function truthOf(value: Value | Absent, node: ValueNode): boolean | Absent {
  if (typeof value === "boolean" || value instanceof Absent) return value;
  return new Absent(
    "failed",
    `a condition must be true or false, not ${describeKind(value)}`,
    node.range,
  );
}

/** The value, or the error as a result. */
export function guarded(node: ValueNode, compute: () => Value): Value | Absent {
  try {
    return compute();
  } catch (thrown) {
    return failureOf(thrown, node);
  }
}

/** Converts evaluation errors to results; other exceptions are bugs and propagate. */
export function failureOf(thrown: unknown, node: ValueNode): Absent {
  if (thrown instanceof EvaluationError) return new Absent("failed", thrown.message, node.range);
  throw thrown;
}

/** `missing`: the request does not have it. `failed`: it cannot be computed. */
export class Absent {
  readonly kind: "missing" | "failed";
  /** For `missing` the name as written: `payload.ref`. For `failed` a sentence without full stop. */
  readonly message: string;
  readonly range: Range;

  constructor(kind: "missing" | "failed", message: string, range: Range) {
    this.kind = kind;
    this.message = message;
    this.range = range;
  }
}
