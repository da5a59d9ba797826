/**
 * What only tests can ask:
 *
 * - `matches(block, request)`: whether the block's condition, its attribute `when`, holds for a request. The request is
 *   an object of the condition's run-time names; one that has none of them stands for the first of them.
 * - `value(block.attribute)`: a value as the plugin will see it, defaults included.
 * - Predicates of plugins: a plugin's function whose first parameter is a reference to one of its own blocks can be
 *   called by its bare name, `allowed(sandbox.build, "example.org")`; it is carried out by the plugin (`BoundPlugin.call`)
 *   with the block itself in place of the reference. It comes before a function of the same name that is not a plugin's.
 */
import type * as tree from "../../../grammar/tree.js";
import { type BlockDescriptor, type TypeDescriptor } from "../../plugin-api/descriptor.js";
import { type CheckedInstance } from "../assemble/blocks.js";
import { createDiagnostic } from "../diagnose.js";
import { bindArguments } from "../evaluate/arguments.js";
import {
  type EvaluationContext,
  locationOf,
  type TestFunctions,
} from "../evaluate/evaluation-run.js";
import { BROKEN, type Evaluated, missing, NoValue } from "../evaluate/outcome.js";
import { askPlugin, functionParameters, knownArguments } from "../evaluate/plugin-call.js";
import { accessPath, type PathStep } from "../evaluate/steps.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { RunTimeExpression } from "../expression/expression.js";
import { ownProperty } from "../own-property.js";
import { toSource } from "../values/as-written.js";
import { ConfiguredBlock } from "../values/block.js";
import { SecretValue } from "../values/secret.js";
import { BlockReference, isList, isObject, objectOf, type Value } from "../values/value.js";
import { explainMatch, requestMatches } from "./condition.js";

export type TestedBlocks = ReadonlyMap<string, CheckedInstance>;

export function testFunctions(blocks: TestedBlocks): TestFunctions {
  return {
    call(node, name, context) {
      if (name === "value") return valueAt(node, blocks, context);
      const block = firstBlock(node, blocks, context);
      if (!block) return undefined;
      const { functions } = block.instance.kind.plugin.description;
      const own = Object.hasOwn(functions, name) ? functions[name] : undefined;
      if (own?.parameters[0]?.type.type === "reference") {
        return askPredicate(node, name, block, context);
      }
      return name === "matches" ? requestMatches(node, block, context) : undefined;
    },
    explain(node, name, context) {
      const block = name === "matches" ? firstBlock(node, blocks, context) : undefined;
      return block && explainMatch(node, block, context);
    },
  };
}

/** The block that the first argument names, if it names one. */
function firstBlock(
  node: tree.CallExpression,
  blocks: TestedBlocks,
  context: EvaluationContext,
): CheckedInstance | undefined {
  const argument = node.arguments[0]?.value;
  if (!argument) return undefined;
  const outcome = context.world.evaluate(argument, { ...context, report: () => undefined });
  return outcome instanceof BlockReference ? blocks.get(outcome.key) : undefined;
}

/** A predicate of the plugin that owns the block, which gets the block itself. */
function askPredicate(
  node: tree.CallExpression,
  name: string,
  { instance, block }: CheckedInstance,
  context: EvaluationContext,
): Evaluated {
  const { description } = instance.kind.plugin;
  const descriptor = description.functions[name];
  if (!descriptor) return BROKEN;
  const [reference, ...others] = functionParameters(descriptor);
  const parameters = [
    { name: reference?.name ?? "block", type: { kind: "reference" } as const },
    ...others,
  ];
  const signature = `${name}(${parameters.map((each) => each.name).join(", ")})`;
  const bound = bindArguments(parameters, signature, node, context);
  const values = bound && knownArguments(bound, signature, context);
  if (!values || values instanceof NoValue) return values ?? BROKEN;
  const given = [new ConfiguredBlock(block), ...values.slice(1)];
  return askPlugin(description.id, name, values, node, context, given);
}

function valueAt(
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
