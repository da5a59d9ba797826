/** A function of the language: data for checks, completion and the reference, and its implementation. */
import type { Type } from "../types/type.js";
import type { Value } from "../values/value.js";

export interface Parameter {
  readonly name: string;
  readonly type: Type;
  /** May be left out. */
  readonly optional?: true;
  /** Takes all further arguments; only the last parameter. */
  readonly rest?: true;
}

export interface FunctionSignature {
  readonly name: string;
  /** One sentence, in Markdown. */
  readonly doc: string;
  readonly parameters: readonly Parameter[];
  /** What it gives, as far as the arguments' types tell. */
  readonly returns: Type | ((types: readonly Type[]) => Type);
  /** Example calls and their results in the language; the tests run them. */
  readonly examples: ReadonlyArray<readonly [call: string, result: string]>;
  /**
   * Computes the result from arguments of the declared types; an omitted optional one is `undefined`. Throws an
   * `EvaluationError` if there is no result. Absent: the evaluator implements it.
   */
  readonly apply?: (...args: readonly never[]) => Value;
  /** Moves elements only, so it accepts lists and objects with unknown elements. */
  readonly moves?: true;
}

/** The types in the order of the parameters; the types of a rest parameter repeat. */
export function parameterAt(signature: FunctionSignature, index: number): Parameter | undefined {
  const parameter = signature.parameters[index];
  if (parameter) return parameter;
  const last = signature.parameters.at(-1);
  return last?.rest ? last : undefined;
}

/** `replace(text, old, new)`. */
export function renderSignature(signature: FunctionSignature): string {
  const parameters = signature.parameters.map(({ name, optional, rest }) => {
    if (rest) return `${name}…`;
    return optional ? `${name}?` : name;
  });
  return `${signature.name}(${parameters.join(", ")})`;
}
