/** Functions on numbers and what is measured. */
import { DURATION, listOf, NUMBER, PERCENT, SIZE, type Type, unionOf } from "../types/type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { Quantity } from "../values/quantity.js";
import { isList, type Value } from "../values/value.js";
import { compareValues } from "./compare.js";
import type { FunctionSignature } from "./signature.js";

const MEASURE: Type = { kind: "union", of: [NUMBER, DURATION, SIZE, PERCENT] };
const MEASURES: Type = {
  kind: "union",
  of: [...[NUMBER, DURATION, SIZE, PERCENT], listOf(MEASURE)],
};

const elements = (types: readonly Type[]): Type =>
  unionOf(types.map((type) => (type.kind === "list" ? type.items : type)));
const itself = ([type]: readonly Type[]): Type => type ?? NUMBER;

export const numberFunctions: readonly FunctionSignature[] = [
  {
    name: "min",
    doc: "The smallest of several numbers, durations or sizes, given one by one or in lists.",
    parameters: [{ name: "values", type: MEASURES, rest: true }],
    returns: elements,
    examples: [
      ["min(3, 1, 2)", "1"],
      ["min([1m, 90s])", "1m"],
    ],
    apply: (...values: readonly Value[]) => extreme(values, -1),
  },
  {
    name: "max",
    doc: "The largest of several numbers, durations or sizes, given one by one or in lists.",
    parameters: [{ name: "values", type: MEASURES, rest: true }],
    returns: elements,
    examples: [["max(64KiB, 1MiB)", "1MiB"]],
    apply: (...values: readonly Value[]) => extreme(values, 1),
  },
  {
    name: "abs",
    doc: "The number without its sign.",
    parameters: [{ name: "value", type: MEASURE }],
    returns: itself,
    examples: [["abs(-3)", "3"]],
    apply: (value: number | Quantity) =>
      typeof value === "number"
        ? Math.abs(value)
        : new Quantity(value.unit, Math.abs(value.amount)),
  },
  {
    name: "floor",
    doc: "The largest whole number that is not larger.",
    parameters: [{ name: "value", type: NUMBER }],
    returns: NUMBER,
    examples: [["floor(-1.5)", "-2"]],
    apply: (value: number) => Math.floor(value),
  },
  {
    name: "ceil",
    doc: "The smallest whole number that is not smaller.",
    parameters: [{ name: "value", type: NUMBER }],
    returns: NUMBER,
    examples: [["ceil(1.2)", "2"]],
    apply: (value: number) => Math.ceil(value),
  },
];

function extreme(values: readonly Value[], sign: 1 | -1): Value {
  const all = values.flatMap((value) => (isList(value) ? value : [value]));
  const [first, ...rest] = all;
  if (first === undefined) throw new EvaluationError("there is nothing to choose from");
  return rest.reduce((best, each) => (compareValues(each, best) * sign > 0 ? each : best), first);
}
