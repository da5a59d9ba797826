/** `[for x in xs: …]` and `{ for name, x in xs: key => … }`. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { describeValue } from "../types/describe.js";
import { ANY, listOf, NUMBER, STRING, type Type, unionOf } from "../types/type.js";
import { typeOf } from "../types/value-type.js";
import { roundsOf, wrongName } from "../values/rounds.js";
import { isObject, objectOf, Residual, type Value } from "../values/value.js";
import { elementTypeOf, loopVariable, worst, written } from "./collections.js";
import { type EvaluationContext, type Local, locationOf } from "./evaluation-run.js";
import { BROKEN, type Evaluated, NoValue } from "./outcome.js";
import { nodeOf, residual } from "./residual.js";
import { LexicalScope } from "./scope.js";
import { areFree } from "./shadow.js";
import { evaluateStrict } from "./strict.js";

/** Carried out now where the list is known; left for later where it, a condition or a name is not. */
export function evaluateComprehension(
  node: tree.Comprehension,
  context: EvaluationContext,
): Evaluated {
  const iterable = evaluateStrict(node.iterable, context);
  if (iterable instanceof NoValue) return iterable;
  if (iterable instanceof Residual) return laterFor(node, iterable, context);
  const rounds = roundsOf(iterable, node.key !== undefined);
  if (!rounds) {
    refuseIterable(node, iterable, context);
    return BROKEN;
  }
  if (!areFree(node, context)) return BROKEN;
  return unrolled(node, iterable, rounds, context);
}

/** Reports a `for` over something without elements. */
export function refuseIterable(
  node: tree.For | tree.Comprehension,
  iterable: Value,
  context: EvaluationContext,
): void {
  const isStatement = node.kind === "for";
  const help = isObject(iterable)
    ? `an object has names and values: \`for ${node.variable.text === "name" ? "key" : "name"}, ${node.variable.text} in …\``
    : undefined;
  context.report(
    createDiagnostic(
      "E315",
      locationOf(node.iterable, context),
      isStatement || help !== undefined
        ? `\`for\` goes through a list, not ${describeValue(iterable)}`
        : `a list is needed here, not ${describeValue(iterable)}`,
      { help },
    ),
  );
}

function unrolled(
  node: tree.Comprehension,
  iterable: Value,
  rounds: Iterable<readonly [string | number, Value]>,
  context: EvaluationContext,
): Evaluated {
  const results: Evaluated[] = [];
  const entries = new Map<string, Evaluated>();
  const source = context.world.written(iterable);
  for (const [key, value] of rounds) {
    context.world.step(1, () => locationOf(node, context));
    const scope = new LexicalScope(context.scope.unit, context.scope);
    const variable = (name: tree.Name, held: Value) =>
      scope.addVariable({
        name: name.text,
        value: held,
        location: locationOf(name, context),
        origin: source?.element(key),
      });
    if (node.key) variable(node.key, key);
    variable(node.variable, value);
    const inside = { ...context, scope };
    const wanted = node.test ? evaluateStrict(node.test, inside) : true;
    if (wanted instanceof Residual) return laterFor(node, iterable, context);
    if (wanted instanceof NoValue) results.push(wanted);
    else if (typeof wanted !== "boolean")
      return refuse("E314", node.test, notBoolean(wanted), context);
    else if (wanted && node.name) {
      const name = evaluateStrict(node.name, inside);
      if (name instanceof Residual) return laterFor(node, iterable, context);
      const wrong = name instanceof NoValue ? undefined : wrongName(name, entries);
      if (wrong !== undefined) {
        return refuse(typeof name === "string" ? "E318" : "E301", node.name, wrong, context);
      }
      const body = evaluateStrict(node.body, inside);
      results.push(name instanceof NoValue ? name : body);
      entries.set(String(name), body);
    } else if (wanted) results.push(evaluateStrict(node.body, inside));
    if (results.at(-1) === BROKEN) return BROKEN;
  }
  const noValue = worst(results);
  if (noValue) return noValue;
  const result = node.name
    ? objectOf([...entries] as Array<[string, Value]>)
    : (results as Value[]);
  return written(result, node, () => node.body, context);
}

const notBoolean = (value: Value): string =>
  `a condition must be true or false, not ${describeValue(value)}`;

function refuse(
  code: string,
  node: tree.ExpressionNode | undefined,
  message: string,
  context: EvaluationContext,
): NoValue {
  context.report(createDiagnostic(code, node && locationOf(node, context), message));
  return BROKEN;
}

function laterFor(
  node: tree.Comprehension,
  iterable: Value,
  context: EvaluationContext,
): Evaluated {
  if (!areFree(node, context)) return BROKEN;
  const type = iterable instanceof Residual ? iterable.type : typeOf(iterable);
  const types = roundTypes(type, node.key !== undefined);
  if (!types) {
    const message = "this is not a list and has no elements";
    return refuse("E315", node.iterable, message, context);
  }
  const local = loopVariable(iterable, types.value, locationOf(node.variable, context), context);
  const key = node.key && { ...local, slot: local.slot + 1, type: types.key };
  const locals = new Map<string, Local>([
    ...(context.locals ?? []),
    [node.variable.text, local],
    ...(node.key && key ? ([[node.key.text, key]] as const) : []),
  ]);
  const inside = { ...context, locals, loops: (key ?? local).slot + 1 };
  const test = node.test ? evaluateStrict(node.test, inside) : undefined;
  const name = node.name ? evaluateStrict(node.name, inside) : undefined;
  const body = evaluateStrict(node.body, inside);
  if (test instanceof NoValue || name instanceof NoValue || body instanceof NoValue) {
    return worst([test ?? null, name ?? null, body]) ?? BROKEN;
  }
  if (node.name && name !== undefined && !canBeString(typeOf(name))) {
    return refuse("E301", node.name, "the name of an entry must be a string", context);
  }
  const parts = {
    op: "for" as const,
    iterable: nodeOf(iterable, node.iterable, context),
    slot: local.slot,
    ...(key && { keySlot: key.slot }),
    ...(node.test && test !== undefined && { test: nodeOf(test, node.test, context) }),
    ...(node.name && name !== undefined && { name: nodeOf(name, node.name, context) }),
    body: nodeOf(body, node.body, context),
  };
  const values = typeOf(body);
  const made: Type = node.name ? { kind: "map", values } : listOf(values);
  return residual(node, parts, made, [iterable, body, test ?? true, name ?? ""], context);
}

/** What the variables of a loop over such a value are; `undefined` where it has no elements. */
function roundTypes(
  type: Type,
  hasKey: boolean,
): { readonly key: Type; readonly value: Type } | undefined {
  const value = elementTypeOf(type);
  if (value) return { key: type.kind === "list" ? NUMBER : ANY, value };
  if (!hasKey) return undefined;
  if (type.kind === "map") return { key: STRING, value: type.values };
  if (type.kind !== "object") return undefined;
  return { key: STRING, value: unionOf(Object.values(type.fields)) };
}

function canBeString(type: Type): boolean {
  if (type.kind === "union") return type.of.some(canBeString);
  return type.kind === "string" || type.kind === "any";
}
