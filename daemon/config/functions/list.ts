/** Functions on lists and objects. They make new ones; nothing is changed in place. */
import { limits } from "../limits.js";
import {
  ANY,
  BOOLEAN,
  LIST,
  listOf,
  NUMBER,
  OBJECT,
  STRING,
  type Type,
  unionOf,
} from "../types/type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { isList, objectOf, type Value, type ValueObject } from "../values/value.js";
import { compareValues, equalValues } from "./compare.js";
import type { FunctionSignature } from "./signature.js";

const list = { name: "list", type: LIST } as const;

const sameType = ([type]: readonly Type[]): Type => type ?? ANY;
const elementsOf = (type: Type | undefined): Type => (type?.kind === "list" ? type.items : ANY);
const valuesOf = (type: Type | undefined): Type => {
  if (type?.kind === "map") return type.values;
  return type?.kind === "object" ? unionOf(Object.values(type.fields)) : ANY;
};

/** Elements that came with a request may be anything. */
function truths(items: readonly Value[]): readonly boolean[] {
  return items.map((item) => {
    if (typeof item !== "boolean")
      throw new EvaluationError("only true and false can be in the list");
    return item;
  });
}

export const listFunctions: readonly FunctionSignature[] = [
  {
    name: "contains",
    doc: "Whether a list has an element, or a text another text in it.",
    parameters: [
      { name: "where", type: { kind: "union", of: [LIST, STRING] } },
      { name: "what", type: ANY },
    ],
    returns: BOOLEAN,
    examples: [
      ['contains(["a", "b"], "b")', "true"],
      ['contains("refs/heads/main", "heads")', "true"],
    ],
    apply: (where: readonly Value[] | string, what: Value) => {
      if (isList(where)) return where.some((item) => equalValues(item, what));
      if (typeof what !== "string")
        throw new EvaluationError("only a string can be looked for in a string");
      return where.includes(what);
    },
  },
  {
    name: "any",
    doc: "Whether at least one of a list's truth values is true; of none at all, none is.",
    parameters: [{ name: "list", type: listOf(BOOLEAN) }],
    returns: BOOLEAN,
    examples: [
      ["any([false, true])", "true"],
      ['any([for s in ["ok", "firing"]: s == "firing"])', "true"],
      ["any([])", "false"],
    ],
    apply: (items: readonly Value[]) => truths(items).includes(true),
  },
  {
    name: "all",
    doc: "Whether all of a list's truth values are true; those of an empty list are, so ask for its `length` where that matters.",
    parameters: [{ name: "list", type: listOf(BOOLEAN) }],
    returns: BOOLEAN,
    examples: [
      ["all([true, false])", "false"],
      ['all([for s in ["firing"]: s == "firing"])', "true"],
      ["all([])", "true"],
    ],
    apply: (items: readonly Value[]) => !truths(items).includes(false),
  },
  {
    name: "concat",
    doc: "One list of the elements of several.",
    parameters: [{ name: "lists", type: LIST, rest: true }],
    returns: (types) => listOf(unionOf(types.map(elementsOf))),
    examples: [['concat(["a"], [], ["b", "c"])', '["a", "b", "c"]']],
    moves: true,
    apply: (...lists: ReadonlyArray<readonly Value[]>) => lists.flat(1) as Value[],
  },
  {
    name: "distinct",
    doc: "The list without repetitions; the first of equal elements stays.",
    parameters: [list],
    returns: sameType,
    examples: [['distinct(["b", "a", "b"])', '["b", "a"]']],
    apply: distinct,
  },
  {
    name: "sort",
    doc: "The list in ascending order: numbers, or texts by their characters' codes, or durations, or sizes; never mixed.",
    parameters: [list],
    returns: sameType,
    examples: [
      ['sort(["b", "B", "a"])', '["B", "a", "b"]'],
      ["sort([1m, 2s])", "[2s, 1m]"],
    ],
    apply: (items: readonly Value[]) => [...items].sort(compareValues),
  },
  {
    name: "slice",
    doc: "The part of a list or text from `start` up to, not including, `end`; negative positions count from the end.",
    parameters: [
      { name: "value", type: { kind: "union", of: [LIST, STRING] } },
      { name: "start", type: NUMBER },
      { name: "end", type: NUMBER, optional: true },
    ],
    returns: sameType,
    examples: [
      ["slice([1, 2, 3, 4], 1, -1)", "[2, 3]"],
      ['slice("9f2c41aa", 0, 4)', '"9f2c"'],
    ],
    moves: true,
    apply: (value: readonly Value[] | string, start: number, end?: number) =>
      value.slice(start, end),
  },
  {
    name: "flatten",
    doc: "The list with its elements that are lists replaced by their elements, one level deep.",
    parameters: [list],
    returns: LIST,
    examples: [["flatten([[1, 2], 3, [[4]]])", "[1, 2, 3, [4]]"]],
    apply: (items: readonly Value[]) => (items as Value[]).flat(1) as Value[],
  },
  {
    name: "keys",
    doc: "The names in an object.",
    parameters: [{ name: "object", type: OBJECT }],
    returns: listOf(STRING),
    examples: [["keys({ b = 1, a = 2 })", '["b", "a"]']],
    moves: true,
    apply: (object: ValueObject) => Object.keys(object),
  },
  {
    name: "values",
    doc: "The values in an object, in the order of `keys`.",
    parameters: [{ name: "object", type: OBJECT }],
    returns: ([type]) => listOf(valuesOf(type)),
    examples: [["values({ b = 1, a = 2 })", "[1, 2]"]],
    moves: true,
    apply: (object: ValueObject) => Object.values(object),
  },
  {
    name: "merge",
    doc: "One object of the entries of several; later ones win. Shallow: an object inside is replaced, not merged.",
    parameters: [{ name: "objects", type: OBJECT, rest: true }],
    returns: (types) => ({ kind: "map", values: unionOf(types.map(valuesOf)) }),
    examples: [["merge({ a = 1, b = 1 }, { b = 2 })", "{ a = 1, b = 2 }"]],
    moves: true,
    apply: (...objects: readonly ValueObject[]) => objectOf(objects.flatMap(Object.entries)),
  },
  {
    name: "range",
    doc: "The whole numbers from 0, or from `start`, up to, not including, `end`. At most 1,000.",
    parameters: [
      { name: "start_or_end", type: NUMBER },
      { name: "end", type: NUMBER, optional: true },
      { name: "step", type: NUMBER, optional: true },
    ],
    returns: listOf(NUMBER),
    examples: [
      ["range(3)", "[0, 1, 2]"],
      ["range(10, 0, -5)", "[10, 5]"],
    ],
    apply: range,
  },
];

/** Scalars by a set, everything else by comparison: a list of ten thousand names stays cheap. */
function distinct(items: readonly Value[]): readonly Value[] {
  const scalars = new Set<Value>();
  const others: Value[] = [];
  return items.filter((item) => {
    if (typeof item !== "object") return !scalars.has(item) && scalars.add(item);
    if (others.length > 1_000)
      throw new EvaluationError("the list has more than 1,000 different objects");
    return !others.some((other) => equalValues(other, item)) && others.push(item);
  });
}

function range(first: number, second?: number, step = 1): readonly number[] {
  const [start, end] = second === undefined ? [0, first] : [first, second];
  if (![start, end, step].every(Number.isInteger))
    throw new EvaluationError("`range` wants whole numbers");
  if (step === 0) throw new EvaluationError("a range with step 0 never ends");
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > limits.range) {
    throw new EvaluationError(
      `the range has ${length} numbers; at most ${limits.range} are allowed`,
      {
        code: "E407",
      },
    );
  }
  return Array.from({ length }, (_, index) => start + index * step);
}
