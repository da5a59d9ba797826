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
import type { CheckedInstance } from "../assemble/blocks.js";
import { bindArguments } from "../evaluate/arguments.js";
import type { EvaluationContext } from "../evaluate/evaluation-run.js";
import { BROKEN, type Evaluated, NoValue } from "../evaluate/outcome.js";
import { askPlugin, functionParameters, knownArguments } from "../evaluate/plugin-call.js";
import type { TestFunctions } from "../evaluate/evaluation-run.js";
import { ConfiguredBlock } from "../values/block.js";
import { BlockReference } from "../values/value.js";
import { explainMatch, requestMatches } from "./condition.js";
import { valueAt } from "./value-at.js";

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
