/** The origin of a value: the attribute, its lets, and the lets they use. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { inputOf } from "../assemble/source-hash.js";
import type { BlockBody } from "../check/block-body.js";
import { nestedBodies } from "../check/nested.js";
import { locationIn } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import {
  type EvaluationContext,
  type EvaluationRun,
  locationOf,
} from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { accessPath } from "../evaluate/steps.js";
import { needKey } from "../inputs.js";
import type { Input, Program, ProgramBlock } from "../program.js";
import { renderValue } from "../values/render.js";
import { detailsOf } from "./details.js";

export interface OriginStep {
  readonly kind: "attribute" | "let" | "variable" | "default" | "block";
  /** `timeout = let.ci ? 1m : 10m`, `let ci = …`: as it is written, in one line. */
  readonly text: string;
  /** What it came to, rendered; absent where that is the value itself. */
  readonly value?: string;
  readonly location?: SourceLocation;
  /** A mixin that brought it. */
  readonly from?: string;
}

export interface Origins {
  readonly origin: readonly OriginStep[];
  readonly inputs: readonly Input[];
  readonly references: readonly string[];
}

/** The maximum number of listed steps. */
const STEPS = 50;

export function originsOf(
  program: Program,
  block: ProgramBlock,
  path: ReadonlyArray<string | number>,
): Origins {
  const details = detailsOf(program);
  const instance = details?.instances.get(block.key);
  if (!details || !instance) return { origin: [], inputs: [], references: block.references };
  const found = attributeAt(instance.body, path, instance.kind.translator);
  if (!found) {
    const checked = details.checked.find((each) => each.block.key === block.key);
    const step: OriginStep = {
      kind: "block",
      text: instance.body.subject,
      location: instance.body.header,
    };
    return { origin: [step], ...usedBy(checked?.uses ?? new Dependencies(), details.world) };
  }
  const { body, name } = found;
  const attribute = body.attribute(name);
  if (!attribute || attribute === "circle") {
    const text = body.descriptor.attributes[name]?.default;
    const step: OriginStep = {
      kind: "default",
      text: `${name} = ${text ?? "null"}`,
      location: body.header,
    };
    return { origin: [step], inputs: [], references: [] };
  }
  const { site, context } = attribute;
  const steps: OriginStep[] = [
    {
      kind: "attribute",
      text: textOf(site.node, context),
      location: locationIn(site.scope.unit.name, site.node),
      ...mixinOf(site.trace, body),
    },
  ];
  followNames(site.node.value, context, steps, new Set());
  return { origin: steps.slice(0, STEPS), ...usedBy(context.uses, details.world) };
}

const textOf = (span: tree.Span, context: EvaluationContext): string =>
  context.scope.unit.text.slice(span.start, span.end).replace(/\s+/g, " ").trim();

/** The mixin nearest to the attribute, if the block got it from one. */
function mixinOf(trace: BlockBody["site"]["trace"], body: BlockBody): { readonly from?: string } {
  const own = trace.slice(0, trace.length - body.site.trace.length);
  const use = own.find(({ description }) => description.startsWith("`use "));
  return use ? { from: use.description.replace(/^`use |`$/g, "") } : {};
}

/** The attribute that a path leads through, in the block or one nested in it. */
function attributeAt(
  body: BlockBody,
  path: ReadonlyArray<string | number>,
  translator: Parameters<typeof nestedBodies>[1],
): { readonly body: BlockBody; readonly name: string } | undefined {
  const [name, ...rest] = path;
  if (typeof name !== "string") return undefined;
  if (Object.hasOwn(body.descriptor.attributes, name)) return { body, name };
  const bodies = nestedBodies(body, translator).byKind.get(name) ?? [];
  const [index] = rest;
  const inner = bodies[typeof index === "number" ? index : 0];
  return (
    inner && attributeAt(inner.body, typeof index === "number" ? rest.slice(1) : rest, translator)
  );
}

function usedBy(uses: Dependencies, world: EvaluationRun): Pick<Origins, "inputs" | "references"> {
  const sources = new Set([...world.units.values()].map(({ path }) => path));
  const keys = new Set(Array.from(uses.inputs, ([key]) => key));
  const inputs = world.inputs.used
    .filter(([need]) => keys.has(needKey(need)))
    .flatMap(([need, answer]) => inputOf(need, answer, sources) ?? []);
  return { inputs, references: [...uses.blocks] };
}

/** Every let and loop variable in an expression, and those in theirs. */
function followNames(
  node: tree.ExpressionNode,
  context: EvaluationContext,
  steps: OriginStep[],
  seen: Set<unknown>,
): void {
  for (const each of namesIn(node)) {
    const { base, steps: path } = accessPath(each);
    if (base.kind !== "name" || steps.length > STEPS) continue;
    const [first] = path;
    const binding =
      base.text === "let" && first?.kind === "member"
        ? context.scope.let(first.name.text)
        : undefined;
    if (binding && !seen.has(binding)) {
      seen.add(binding);
      const inner: EvaluationContext = {
        ...context,
        scope: binding.scope,
        uses: new Dependencies(),
      };
      const outcome = binding.state.kind === "done" ? binding.state.outcome : undefined;
      steps.push({
        kind: "let",
        text: textOf(binding.node, inner),
        location: locationOf(binding.node, inner),
        ...(outcome === undefined || outcome instanceof NoValue
          ? {}
          : { value: renderValue(outcome) }),
      });
      const { value } = binding;
      if (value) followNames(value.node, { ...inner, scope: value.scope }, steps, seen);
    }
    const variable = context.scope.variable(base.text);
    if (variable && !seen.has(variable) && !(variable.value instanceof NoValue)) {
      seen.add(variable);
      const location = variable.origin ?? variable.location;
      steps.push({
        kind: "variable",
        text: base.text,
        value: renderValue(variable.value),
        location,
      });
    }
  }
}

/** The paths in an expression that begin with a name. Plain trees are walked by their fields. */
function namesIn(node: tree.ExpressionNode): readonly tree.ExpressionNode[] {
  const found: tree.ExpressionNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null && "kind" in value) {
      visitNode(value as tree.ExpressionNode);
    }
  };
  const visitNode = (each: tree.ExpressionNode): void => {
    const { base, steps } = accessPath(each);
    if (base.kind === "name") found.push(each);
    else Object.values(base).forEach(visit);
    for (const step of steps) if (step.kind === "index") visit(step.index);
  };
  visit(node);
  return found;
}
