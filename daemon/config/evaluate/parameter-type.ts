/** The types of parameters: declared, or that of a literal default. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { describeType, describeValue } from "../types/describe.js";
import { type Type } from "../types/type.js";
import { holds, typeOf } from "../types/value-type.js";
import { Residual, type Value } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { BROKEN, type Evaluated, NoValue } from "./outcome.js";
import type { LetBinding } from "./scope.js";

const TYPES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["any", { kind: "any" }],
  ["string", { kind: "string" }],
  ["number", { kind: "number" }],
  ["boolean", { kind: "boolean" }],
  ["duration", { kind: "duration" }],
  ["size", { kind: "size" }],
  ["percentage", { kind: "percent" }],
  ["pattern", { kind: "regex" }],
  ["list", { kind: "list", items: { kind: "any" } }],
  ["object", { kind: "map", values: { kind: "any" } }],
  ["block", { kind: "reference" }],
]);

export const parameterTypes: readonly string[] = [...TYPES.keys()];

/** Kinds of literals whose name differs from that of their type. */
const LITERALS: Readonly<Record<string, string>> = {
  template: "string",
  percent: "percentage",
  regex: "pattern",
};

/** `undefined`: any value is accepted. */
function typeOfParameter({ type, value }: tree.ParameterNode): Type | undefined {
  if (type) return TYPES.get(type.text);
  return value && TYPES.get(LITERALS[value.kind] ?? value.kind);
}

/** The value of a `let` or parameter; BROKEN after a complaint. A `null` is accepted where it is the default. */
export function typed(
  outcome: Evaluated,
  { node, value, scope }: LetBinding,
  context: EvaluationContext,
): Evaluated {
  const wanted = node.kind === "param" ? typeOfParameter(node) : undefined;
  if (!value || !wanted || outcome instanceof NoValue || accepts(wanted, outcome)) return outcome;
  if (outcome === null && node.value?.kind === "null") return outcome;
  const declared = { location: locationIn(scope.unit.name, node.name), message: "declared here" };
  context.report(
    createDiagnostic(
      "E309",
      locationOf(value.node, context),
      `the parameter \`${node.name.text}\` takes ${describeType(wanted)}, not ${describeValue(outcome)}`,
      value.node === node.value ? {} : { related: [declared] },
    ),
  );
  return BROKEN;
}

function accepts(wanted: Type, value: Value): boolean {
  if (!(value instanceof Residual)) return holds(wanted, value);
  const { kind } = typeOf(value);
  if (kind === "any" || kind === "union" || wanted.kind === "any") return true;
  return kind === wanted.kind || (kind === "object" && wanted.kind === "map");
}
