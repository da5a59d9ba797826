/** Evaluates paths such as `a.b[c][*].d`, step by step from the first name. */

import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import { sourceName } from "../expression/source-name.js";
import { describeValue } from "../types/describe.js";
import { ANY, fits, listOf, NUMBER, STRING, type Type, unionOf } from "../types/type.js";
import { renderValue } from "../values/render.js";
import { isList, isObject, Residual, type Value } from "../values/value.js";
import { elementTypeOf, loopVariable } from "./collections.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { bounded } from "./measure.js";
import { localResidual, resolveHead } from "./names.js";
import { BROKEN, type Evaluated, missing, NoValue, PENDING } from "./outcome.js";
import { nodeOf, residual } from "./residual.js";
import { accessPath, type PathStep } from "./steps.js";
import { evaluateStrict, strict } from "./strict.js";

export function evaluatePath(node: tree.Name | PathStep, context: EvaluationContext): Evaluated {
  const { base, steps } = accessPath(node);
  if (base.kind !== "name") {
    return follow(context.world.evaluate(base, context), steps, context);
  }
  const { outcome, used } = resolveHead(base, steps, context);
  return follow(outcome, steps.slice(used), context);
}

function follow(
  start: Evaluated,
  steps: readonly PathStep[],
  context: EvaluationContext,
): Evaluated {
  let outcome = start;
  for (const [index, step] of steps.entries()) {
    outcome = strict(outcome, context);
    if (outcome instanceof NoValue) return outcome;
    if (step.kind === "index" && !step.index) {
      return every(outcome, step, steps.slice(index + 1), context);
    }
    context.world.step(1, () => locationOf(step, context));
    outcome = into(outcome, step, context);
  }
  return outcome;
}

function into(value: Value, step: PathStep, context: EvaluationContext): Evaluated {
  const key = step.kind === "member" ? step.name.text : keyOf(step, context);
  if (key instanceof NoValue) return key;
  if (value instanceof Residual || key instanceof Residual)
    return openPart(value, key, step, context);
  if (isList(value) && typeof key === "number") {
    if (!Number.isInteger(key)) return noPart(value, key, step, context);
    return value.at(key) ?? absent(value, key, step, context);
  }
  if (isObject(value) && typeof key === "string") {
    return Object.hasOwn(value, key) ? (value[key] as Value) : absent(value, key, step, context);
  }
  return noPart(value, key, step, context);
}

function keyOf(step: tree.IndexAccess, context: EvaluationContext): Evaluated {
  const key = evaluateStrict(step.index as tree.ExpressionNode, context);
  if (key instanceof NoValue) return key;
  const type = key instanceof Residual ? key.type : undefined;
  if (typeof key === "string" || typeof key === "number") return key;
  if (type && (fits(type, STRING) !== "never" || fits(type, NUMBER) !== "never")) return key;
  context.report(
    createDiagnostic(
      "E307",
      locationOf(step.index as tree.ExpressionNode, context),
      `in brackets stands a name or a position, not ${describeValue(key)}`,
    ),
  );
  return BROKEN;
}

/** Where the complaint about a part belongs: on its name or position. */
const keyLocation = (step: PathStep, context: EvaluationContext) =>
  locationOf(step.kind === "member" ? step.name : (step.index ?? step), context);

function absent(value: Value, key: Value, step: PathStep, context: EvaluationContext): NoValue {
  const location = keyLocation(step, context);
  if (isList(value)) {
    const count = value.length === 1 ? "1 element" : `${value.length} elements`;
    return missing(
      createDiagnostic("E217", location, `there is no element ${key}: the list has ${count}`),
    );
  }
  const names = isObject(value) ? Object.keys(value) : [];
  const suggestion = suggest(String(key), names);
  return missing(
    createDiagnostic("E217", location, `the object has no \`${key}\``, {
      label: suggestFix(suggestion),
      fix: step.kind === "member" ? renameFix(location, suggestion) : undefined,
      help: suggestion || names.length === 0 ? undefined : `it has ${renderValue(names)}`,
    }),
  );
}

function noPart(value: Value, key: Value, step: PathStep, context: EvaluationContext): NoValue {
  const help =
    isList(value) && typeof key === "string"
      ? "`[*]` stands for every element of a list"
      : undefined;
  context.report(
    createDiagnostic(
      "E307",
      keyLocation(step, context),
      `${describeValue(value)} has no part \`${renderValue(key)}\``,
      { help },
    ),
  );
  return BROKEN;
}

/** An element of a run-time value, or an element with a run-time key. */
function openPart(value: Value, key: Value, step: PathStep, context: EvaluationContext): Evaluated {
  const lower = value instanceof Residual && value.node.op === "name" && value.node.lowerCase;
  const wanted = lower && typeof key === "string" ? key.toLowerCase() : key;
  const type = value instanceof Residual ? partType(value.type, wanted) : ANY;
  if (type === undefined) return noSuchPart(value as Residual, wanted, step, context);
  const named = nodeOf(wanted, step.kind === "member" ? step.name : (step.index ?? step), context);
  const keyNode =
    lower && wanted instanceof Residual
      ? ({ op: "call", name: "lower", arguments: [named], range: named.range } as const)
      : named;
  return residual(
    step,
    { op: "index", object: nodeOf(value, step.object, context), key: keyNode },
    type,
    [value, wanted],
    context,
  );
}

/** The type of an element; `undefined` if it cannot exist. */
function partType(type: Type, key: Value): Type | undefined {
  switch (type.kind) {
    case "any":
      return ANY;
    case "list":
      return typeof key === "string" ? undefined : type.items;
    case "map":
      return typeof key === "number" ? undefined : type.values;
    case "object":
      if (typeof key !== "string") return typeof key === "number" ? undefined : ANY;
      return Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
    case "union": {
      const parts = type.of.flatMap((each) => partType(each, key) ?? []);
      return parts.length === 0 ? undefined : unionOf(parts);
    }
    default:
      return undefined;
  }
}

function noSuchPart(
  value: Residual,
  key: Value,
  step: PathStep,
  context: EvaluationContext,
): NoValue {
  const location = keyLocation(step, context);
  const names = value.type.kind === "object" ? Object.keys(value.type.fields) : [];
  const suggestion = suggest(String(key), names);
  context.report(
    createDiagnostic(
      "E218",
      location,
      `${describeValue(value)} has no part \`${renderValue(key)}\``,
      {
        label: suggestFix(suggestion),
        fix: step.kind === "member" ? renameFix(location, suggestion) : undefined,
        help: value.type.kind === "list" ? "`[*]` stands for every element of a list" : undefined,
      },
    ),
  );
  return BROKEN;
}

/** `value[*].rest`: applies the rest of the path to every element. */
function every(
  value: Value,
  step: tree.IndexAccess,
  rest: readonly PathStep[],
  context: EvaluationContext,
): Evaluated {
  if (value instanceof Residual) return laterEvery(value, step, rest, context);
  if (!isList(value)) {
    context.report(
      createDiagnostic(
        "E315",
        locationOf(step, context),
        `\`[*]\` needs a list, not ${describeValue(value)}`,
      ),
    );
    return BROKEN;
  }
  const results: Value[] = [];
  const nested = rest.some((each) => each.kind === "index" && !each.index);
  for (const element of value) {
    context.world.step(1, () => locationOf(step, context));
    const outcome = strict(follow(element, rest, context), context);
    if (outcome instanceof NoValue) return outcome === PENDING ? PENDING : BROKEN;
    if (nested && isList(outcome)) for (const inner of outcome) results.push(inner);
    else results.push(outcome);
  }
  return bounded(results, step, context);
}

function laterEvery(
  value: Residual,
  step: tree.IndexAccess,
  rest: readonly PathStep[],
  context: EvaluationContext,
): Evaluated {
  const type = elementTypeOf(value.type);
  if (!type) return noSuchPart(value, "*", step, context);
  const local = loopVariable(value, type, locationOf(step, context), context);
  const inside = { ...context, loops: local.slot + 1 };
  const element = localResidual(`${sourceName(value.node)}[*]`, local, step, inside);
  const body = strict(follow(element, rest, inside), inside);
  if (body instanceof NoValue) return body;
  const bodyType = body instanceof Residual ? body.type : ANY;
  const nested = body instanceof Residual && body.node.op === "every";
  return residual(
    rest.at(-1) ?? step,
    {
      op: "every",
      object: nodeOf(value, step.object, context),
      slot: local.slot,
      body: nodeOf(body, rest.at(-1) ?? step, inside),
    },
    nested ? bodyType : listOf(bodyType),
    [value, body],
    context,
  );
}
