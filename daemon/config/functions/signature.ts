/** What a function of the language is: data for checks, completion and the reference, and the code that computes it. */
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
  /** Calls and what they give, both in the language; the tests run them. */
  readonly examples: ReadonlyArray<readonly [call: string, result: string]>;
  /**
   * Computes it from arguments of the declared types; an optional one left out is `undefined`. Throws a `Fault` where
   * there is no answer. Absent: the evaluator itself knows how.
   */
  readonly apply?: (...args: readonly never[]) => Value;
  /** Only moves elements about, so it works on lists and objects whose elements are known later. */
  readonly moves?: true;
}

/** The types in the order of the parameters, those of a rest parameter repeated. */
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
