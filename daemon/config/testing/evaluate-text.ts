/** Evaluates an expression by itself. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import { parseExpression } from "../../../grammar/parse.js";
import type { Scope } from "../../plugin-api/block.js";
import { c } from "../../plugin-api/block.js";
import type { ScopeDescriptor, TypeDescriptor } from "../../plugin-api/descriptor.js";
import { unitFor } from "../evaluate/constant.js";
import { Dependencies } from "../evaluate/dependencies.js";
import { type EvaluationContext, EvaluationRun } from "../evaluate/evaluation-run.js";
import { evaluate } from "../evaluate/expression.js";
import { type Evaluated, NoValue } from "../evaluate/outcome.js";
import { nodeOf } from "../evaluate/residual.js";
import { strict } from "../evaluate/strict.js";
import { RunTimeExpression } from "../expression/expression.js";
import { Inputs, type InputValue } from "../inputs.js";
import type { Value } from "../values/value.js";

export interface EvaluatedText {
  readonly outcome: Evaluated;
  readonly complaints: readonly Diagnostic[];
  readonly context: EvaluationContext;
}

export function evaluateText(text: string, later?: ScopeDescriptor): EvaluatedText {
  const { expression, diagnostics } = parseExpression({ path: "<text>", text });
  const complaints: Diagnostic[] = [...diagnostics];
  const report = (diagnostic: Diagnostic) => complaints.push(diagnostic);
  const environment: InputValue = { kind: "environment", value: undefined, hash: undefined };
  const noFile: InputValue = { kind: "no_file", why: "absent" };
  const answers = new Map<string, InputValue>([
    ["environment REEVE_NOT_SET", environment],
    ["file /not-there.txt within /", noFile],
  ]);
  const world = new EvaluationRun({ inputs: new Inputs(answers), report, roots: ["/"], evaluate });
  world.bound = true;
  const { scope } = unitFor(text);
  const context: EvaluationContext = {
    world,
    scope,
    uses: new Dependencies(),
    report,
    ...(later ? { later } : {}),
  };
  return { outcome: strict(evaluate(expression, context), context), complaints, context };
}

/** The value; throws with the first complaint where there is none. */
export function evaluated(text: string): Value {
  const { outcome, complaints } = evaluateText(text);
  if (!(outcome instanceof NoValue) && complaints.length === 0) return outcome;
  throw new Error(`${complaints[0]?.code}: ${complaints[0]?.message}`);
}

/** The codes of what is wrong with it. */
export const codesOf = (text: string, later?: ScopeDescriptor): readonly string[] =>
  evaluateText(text, later).complaints.map(({ code }) => code);

const anything = c.scope("event", {
  payload: c.any(),
  header: { type: c.map(c.string()), caseInsensitive: true },
  method: c.string(),
  tags: c.list(c.string()),
  size: c.size(),
  user: c.object({ name: c.string(), age: c.integer() }),
});

export const eventScope: ScopeDescriptor = (anything satisfies Scope).descriptor;

/** A run-time expression over `eventScope`. */
export function expressionOf(
  text: string,
  returns: TypeDescriptor = { type: "any" },
): RunTimeExpression {
  const { outcome, complaints, context } = evaluateText(text, eventScope);
  if (outcome instanceof NoValue) {
    throw new Error(`${complaints[0]?.code}: ${complaints[0]?.message}`);
  }
  const span = { start: 0, end: text.length };
  const range = { file: context.scope.unit.name, ...span };
  const node = nodeOf(outcome, span, context);
  return new RunTimeExpression({ text, range, node, returns, secret: false });
}

/** An event with a bit of everything. */
export const event = {
  payload: {
    ref: "refs/heads/main",
    count: 3,
    none: null,
    flag: true,
    commits: [
      { id: "a", author: { name: "Ada" }, files: ["x", "y"] },
      { id: "b", author: { name: "Bob" }, files: [] },
    ],
    mixed: [{ id: 1 }, {}],
  },
  header: { "x-env": "prod" },
  method: "POST",
  tags: ["a", "b"],
  size: 2048,
  user: { name: "ada", age: 36 },
};

/** What an expression comes to for an event, in a few words. */
export const outcomeOf = (text: string, scope: object = event): string => {
  const result = expressionOf(text).evaluate(scope as Record<string, unknown>);
  if (result.kind === "value") return JSON.stringify(result.value);
  return result.kind === "missing" ? `missing ${result.what}` : "failed";
};
