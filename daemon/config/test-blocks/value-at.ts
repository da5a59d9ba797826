/** `value(hook.deploy.timeout)`: what a block's attribute comes to, defaults and nested blocks included. */
import type * as tree from "../../../grammar/tree.js";
import type { BlockDescriptor, TypeDescriptor } from "../../plugin-api/descriptor.js";
import { createDiagnostic } from "../diagnose.js";
import { type EvaluationContext, locationOf } from "../evaluate/evaluation-run.js";
import { BROKEN, type Evaluated, missing } from "../evaluate/outcome.js";
import { accessPath, type PathStep } from "../evaluate/steps.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { RunTimeExpression } from "../expression/expression.js";
import { ownProperty } from "../own-property.js";
import { toSource } from "../values/as-written.js";
import { ConfiguredBlock } from "../values/block.js";
import { SecretValue } from "../values/secret.js";
import { BlockReference, isList, isObject, objectOf, type Value } from "../values/value.js";
import type { TestedBlocks } from "./test-functions.js";

export function valueAt(
  node: tree.CallExpression,
  blocks: TestedBlocks,
  context: EvaluationContext,
): Evaluated {
  const [argument] = node.arguments;
  const found = argument && node.arguments.length === 1 && blockIn(argument.value, blocks, context);
  if (!found || found.steps.length === 0) {
    context.report(
      createDiagnostic("E308", locationOf(node, context), "`value` wants an attribute of a block", {
        help: "for example `value(hook.deploy.timeout)`",
      }),
    );
    return BROKEN;
  }
  return walk(found.block, found.steps, context);
}

/** The shortest part of the path that names a block, and the steps behind it. */
function blockIn(node: tree.ExpressionNode, blocks: TestedBlocks, context: EvaluationContext) {
  const { steps } = accessPath(node);
  for (const [index, step] of steps.entries()) {
    const outcome = context.world.evaluate(step, { ...context, report: () => undefined });
    const checked = outcome instanceof BlockReference ? blocks.get(outcome.key) : undefined;
    if (checked) return { block: checked.block, steps: steps.slice(index + 1) };
  }
  return undefined;
}

interface Position {
  readonly value: unknown;
  readonly type: TypeDescriptor | undefined;
  readonly block: BlockDescriptor | undefined;
}

function walk(
  block: { readonly values: unknown; readonly descriptor: BlockDescriptor },
  steps: readonly PathStep[],
  context: EvaluationContext,
): Evaluated {
  let at: Position = { value: block.values, type: undefined, block: block.descriptor };
  for (const step of steps) {
    const key =
      step.kind === "member"
        ? step.name.text
        : step.index && evaluateKnown(step.index, "a test is decided now", context);
    const next = typeof key === "string" || typeof key === "number" ? into(at, key) : undefined;
    if (!next) {
      const location = locationOf(step.kind === "member" ? step.name : step, context);
      return missing(createDiagnostic("E217", location, `there is no \`${String(key)}\` here`));
    }
    at = next;
  }
  return languageValue(toSource(at.value, at.type), steps.at(-1), context);
}

function into(at: Position, key: string | number): Position | undefined {
  const values = at.value instanceof ConfiguredBlock ? at.value.values : at.value;
  if (Array.isArray(values)) {
    const value: unknown = typeof key === "number" ? values.at(key) : undefined;
    if (value === undefined) return undefined;
    const type = at.type?.type === "list" ? at.type.items : undefined;
    return { value, type, block: at.block };
  }
  if (typeof key !== "string" || !isObject(values)) return undefined;
  const type = ownProperty(at.block?.attributes, key)?.type ?? partType(at.type, key);
  const block = ownProperty(at.block?.blocks, key);
  if (!Object.hasOwn(values, key)) return type || block ? { value: null, type, block } : undefined;
  return { value: values[key] ?? null, type, block };
}

function partType(type: TypeDescriptor | undefined, key: string): TypeDescriptor | undefined {
  if (type?.type === "map") return type.values;
  return type?.type === "object" ? ownProperty(type.attributes, key)?.type : undefined;
}

/** What plugins see, as a value of the language again; secrets and run-time expressions are none. */
function languageValue(
  value: unknown,
  step: PathStep | undefined,
  context: EvaluationContext,
): Evaluated {
  if (value instanceof SecretValue || value instanceof RunTimeExpression) {
    const what = value instanceof SecretValue ? "a secret" : "known only at run time";
    const location = locationOf(step ?? { start: 0, end: 0 }, context);
    context.report(createDiagnostic("E702", location, `this cannot be compared: it is ${what}`));
    return BROKEN;
  }
  return plain(value);
}

function plain(value: unknown): Value {
  if (value instanceof ConfiguredBlock) return plain(value.values);
  if (isList(value)) return value.map(plain);
  if (!isObject(value)) return (value ?? null) as Value;
  return objectOf(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}
