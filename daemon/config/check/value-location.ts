/** Locates a value: at its attribute and, for a named value, at its origin. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { Dependencies } from "../evaluate/dependencies.js";
import { type EvaluationContext, locationOf } from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { accessPath } from "../evaluate/steps.js";
import { isList, isObject, type Value } from "../values/value.js";
import type { EvaluatedAttribute } from "./block-body.js";

export interface ValueLocation {
  readonly location: SourceLocation;
  /** The origin of the value, if it is not written at `location`. */
  readonly origin?: SourceLocation;
}

/** The location of the value at a path inside an attribute's value. */
export function locateValue(
  attribute: EvaluatedAttribute,
  path: ReadonlyArray<string | number>,
): ValueLocation {
  const { outcome, context, site } = attribute;
  const whole = locationOf(site.node.value, context);
  let value: Value | undefined = outcome instanceof NoValue ? undefined : outcome;
  let location = whole;
  let origin: SourceLocation | undefined;
  for (const [index, key] of path.entries()) {
    const element = value === undefined ? undefined : context.world.written(value)?.element(key);
    if (!element && index === 0) return locateNode(site.node.value, context);
    if (element && isWithin(element, whole)) location = element;
    else if (element) origin = element;
    value = value === undefined ? undefined : partOf(value, key);
  }
  if (path.length === 0) return locateNode(site.node.value, context);
  return origin ? { location, origin } : { location };
}

/** The location of the last name of a path, if the enclosing object is written in the attribute. */
export function nameAt(
  attribute: EvaluatedAttribute,
  path: ReadonlyArray<string | number>,
): SourceLocation | undefined {
  const { outcome, context, site } = attribute;
  let value: Value | undefined = outcome instanceof NoValue ? undefined : outcome;
  for (const key of path.slice(0, -1)) value = value === undefined ? undefined : partOf(value, key);
  const last = path.at(-1);
  if (value === undefined || last === undefined) return undefined;
  const location = context.world.written(value)?.name?.(last);
  return location && isWithin(location, locationOf(site.node.value, context))
    ? location
    : undefined;
}

const isWithin = (inner: SourceLocation, outer: SourceLocation): boolean =>
  inner.file === outer.file && inner.start >= outer.start && inner.end <= outer.end;

function partOf(value: Value, key: string | number): Value | undefined {
  if (isList(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
}

/** Follows conditionals, `??` and `let` to the expression that supplies the value. */
function locateNode(node: tree.ExpressionNode, context: EvaluationContext): ValueLocation {
  const chosen = choiceOf(node, context);
  if (chosen) return locateNode(chosen, context);
  const location = locationOf(node, context);
  const origin = originOf(node, context);
  return origin ? { location, origin } : { location };
}

function choiceOf(
  node: tree.ExpressionNode,
  context: EvaluationContext,
): tree.ExpressionNode | undefined {
  const silent: EvaluationContext = {
    ...context,
    uses: new Dependencies(),
    report: () => undefined,
  };
  if (node.kind === "conditional") {
    const test = context.world.evaluate(node.test, silent);
    if (typeof test !== "boolean") return undefined;
    return test ? node.consequent : node.alternate;
  }
  if (node.kind !== "binary" || node.operator !== "??") return undefined;
  const left = context.world.evaluate(node.left, silent);
  const empty = left === null || (left instanceof NoValue && left.kind === "missing");
  return empty ? node.right : node.left;
}

function originOf(
  node: tree.ExpressionNode,
  context: EvaluationContext,
): SourceLocation | undefined {
  const { base, steps } = accessPath(node);
  if (base.kind !== "name") return undefined;
  const [first, ...rest] = steps;
  if (base.text === "let" && first?.kind === "member" && rest.length === 0) {
    const binding = context.scope.let(first.name.text);
    if (!binding?.value) return undefined;
    const inner: EvaluationContext = {
      world: context.world,
      scope: binding.value.scope,
      uses: new Dependencies(),
      report: () => undefined,
    };
    const found = locateNode(binding.value.node, inner);
    return found.origin ?? found.location;
  }
  return steps.length === 0 ? context.scope.variable(base.text)?.origin : undefined;
}
