/** Lists, objects and `[for x in xs: …]`. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { ANY, type Type } from "../types/type.js";
import { objectOf, type Value } from "../values/value.js";
import { type EvaluationContext, type Local, locationOf } from "./evaluation-run.js";
import { bounded, measureOf } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { evaluateKnown, evaluateStrict } from "./strict.js";

/** Evaluates every element, so that all errors are reported at once. */
export function evaluateList(node: tree.ListLiteral, context: EvaluationContext): Evaluated {
  const outcomes = node.items.map((item) => evaluateStrict(item, context));
  const noValue = worst(outcomes);
  if (noValue) return noValue;
  return written(outcomes as Value[], node, (index) => node.items[index as number], context);
}

export function evaluateObject(node: tree.ObjectLiteral, context: EvaluationContext): Evaluated {
  const entries = new Map<string, readonly [tree.ObjectEntry, Evaluated]>();
  let noValue: NoValue | undefined;
  for (const entry of node.entries) {
    const key = entryKey(entry, context);
    const outcome = evaluateStrict(entry.value, context);
    if (key instanceof NoValue) noValue ??= key;
    else {
      const earlier = entries.get(key);
      if (earlier) noValue = repeated(key, entry, earlier[0], context);
      entries.set(key, [entry, outcome]);
    }
  }
  noValue ??= worst([...entries.values()].map(([, outcome]) => outcome));
  if (noValue) return noValue;
  const object = objectOf([...entries].map(([key, [, outcome]]) => [key, outcome as Value]));
  const entryOf = (key: string | number) => entries.get(String(key))?.[0];
  return written(
    object,
    node,
    (key) => entryOf(key)?.value,
    context,
    (key) => entryOf(key)?.key,
  );
}

function entryKey(entry: tree.ObjectEntry, context: EvaluationContext): string | NoValue {
  if (entry.key.kind === "name") return entry.key.text;
  const key = evaluateKnown(entry.key, "a name in an object is needed now", context);
  return key instanceof NoValue ? key : String(key);
}

function repeated(
  key: string,
  entry: tree.ObjectEntry,
  earlier: tree.ObjectEntry,
  context: EvaluationContext,
): NoValue {
  context.report(
    createDiagnostic("E318", locationOf(entry.key, context), `\`${key}\` is in this object twice`, {
      related: [{ location: locationOf(earlier.key, context), message: "first given here" }],
    }),
  );
  return BROKEN;
}

/** `broken` wins over `pending`: an error remains whatever the inputs are. */
export function worst(outcomes: readonly Evaluated[]): NoValue | undefined {
  if (outcomes.includes(BROKEN)) return BROKEN;
  return outcomes.includes(PENDING) ? PENDING : undefined;
}

/** Records the locations of the elements and checks the size. */
export function written(
  container: readonly Value[] | Readonly<Record<string, Value>>,
  node: tree.ExpressionNode,
  element: (key: string | number) => tree.Span | undefined,
  context: EvaluationContext,
  name?: (key: string | number) => tree.Span | undefined,
): Evaluated {
  const file = context.scope.unit.name;
  const placed =
    (find: typeof element) =>
    (key: string | number): SourceLocation | undefined => {
      const span = find(key);
      return span && locationIn(file, span);
    };
  context.world.note(container, {
    location: locationIn(file, node),
    element: placed(element),
    ...(name ? { name: placed(name) } : {}),
  });
  return bounded(container, node, context);
}

/** The variable of a run-time loop; it is as unknown as the loop's iterable. */
export function loopVariable(
  iterable: Value,
  type: Type,
  location: SourceLocation,
  context: EvaluationContext,
): Local {
  const { later, secret } = measureOf(iterable);
  return { slot: context.loops ?? 0, type, later: later || !secret, secret, location };
}

/** What the elements of a list type are; `undefined` where the type has none. */
export function elementTypeOf(type: Type): Type | undefined {
  if (type.kind === "list") return type.items;
  if (type.kind === "any") return ANY;
  if (type.kind !== "union") return undefined;
  return type.of.map(elementTypeOf).find((each) => each !== undefined);
}
