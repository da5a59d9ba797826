/** What a plugin gets for an attribute declared with `c.expr`: folded and checked at load, evaluated per request. */
import { type TypeDescriptor } from "../../plugin-api/descriptor.js";
import {
  type Evaluation,
  type Explanation,
  type Expression,
  type Range,
} from "../../plugin-api/values.js";
import { limits } from "../limits.js";
import { SecretValue } from "../values/secret.js";
import { type Value, type ValueNode } from "../values/value.js";
import { compileExpression } from "./compile.js";
import { explainNode } from "./explain.js";
import { toPlainValue } from "./plain.js";
import { refusal } from "./returns.js";
import { Absent, type CompiledNode, type EvaluationFrame, type RequestScope } from "./step.js";

/** Everything an expression is made of. */
export interface ExpressionParts {
  /** As it stands in the file at `range`, with JSON's escapes if that is a JSON file. */
  readonly text: string;
  readonly range: Range;
  readonly node: ValueNode;
  readonly returns: TypeDescriptor;
  /** It contains a secret, so its result is secret. */
  readonly secret: boolean;
}

export class RunTimeExpression<T = unknown> implements Expression<T> {
  readonly parts: ExpressionParts;
  readonly #secrets: ReadonlyMap<string, string> | undefined;
  /** Compiled; kept from the second evaluation on, because a check evaluates every expression once. */
  #step: CompiledNode | undefined;
  #isEvaluated = false;
  #result: Evaluation<T> | undefined;

  constructor(parts: ExpressionParts, secrets?: ReadonlyMap<string, string>) {
    this.parts = parts;
    this.#secrets = secrets;
  }

  get text(): string {
    return shown(this.parts.text, this.parts.range.file);
  }

  get range(): Range {
    return this.parts.range;
  }

  get constant(): boolean {
    return this.parts.node.op === "constant";
  }

  /** The same expression, able to use these secrets. */
  withSecrets(secrets: ReadonlyMap<string, string>): RunTimeExpression<T> {
    return this.parts.secret ? new RunTimeExpression(this.parts, secrets) : this;
  }

  /** Contents by reference, for crossing a border; never for showing. */
  get secrets(): ReadonlyMap<string, string> | undefined {
    return this.#secrets;
  }

  evaluate(scope: RequestScope): Evaluation<T> {
    if (this.#result) return this.#result;
    const result = this.#evaluate(scope);
    if (this.constant) this.#result = result;
    return result;
  }

  /** What a stranger sent may be nested deeper than any walk can go: the stack's end is an outcome, not a crash. */
  #evaluate(scope: RequestScope): Evaluation<T> {
    const step = this.#step ?? compileExpression(this.parts.node);
    if (this.#isEvaluated) this.#step = step;
    this.#isEvaluated = true;
    try {
      return this.#finish(step(scope, this.#frame()));
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      return { kind: "failed", message: TOO_LARGE, range: this.range };
    }
  }

  explain(scope: RequestScope): Explanation {
    const { text, range, node } = this.parts;
    const textOf = (location: Range): string | undefined =>
      location.file === range.file && location.start >= range.start && location.end <= range.end
        ? shown(text.slice(location.start - range.start, location.end - range.start), range.file)
        : undefined;
    try {
      return explainNode(node, { scope, frame: this.#frame(), textOf });
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      return { text: this.text, outcome: `error: ${TOO_LARGE}`, parts: [] };
    }
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }

  #frame(): EvaluationFrame {
    return { slots: [], secrets: this.#secrets, looks: limits.looks };
  }

  #finish(outcome: Value | Absent): Evaluation<T> {
    const { returns, secret, node, range } = this.parts;
    if (outcome instanceof Absent) return this.#absent(outcome);
    const refused = refusal(returns, outcome, secret);
    if (refused !== undefined) {
      return { kind: "failed", message: `\`${this.text}\` gives ${refused}`, range };
    }
    const plain = toPlainValue(outcome);
    const value = secret ? new SecretValue(node, [], expressionContent(plain)) : plain;
    return { kind: "value", value: value as T };
  }

  /** Where a secret is involved, a fault's sentence might quote it. */
  #absent(outcome: Absent): Evaluation<T> {
    const { message, range } = outcome;
    if (outcome.kind === "missing") return { kind: "missing", what: message, range };
    const shown = this.parts.secret && message !== UNREAD ? "this cannot be computed" : message;
    return { kind: "failed", message: shown, range };
  }
}

/** In the JSON equivalent an expression is inside a JSON string; diagnostics show the decoded text. */
function shown(written: string, file: string): string {
  if (!file.endsWith(".json") || !written.includes("\\")) return written;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written;
  }
}

/** A secret is a string; other values derived from one are encoded as JSON. */
export function expressionContent(plain: unknown): string {
  return typeof plain === "string" ? plain : JSON.stringify(plain);
}

const TOO_LARGE = "a value is too large, or nested too deeply, to work with";
const UNREAD = "the secret has not been read yet";
