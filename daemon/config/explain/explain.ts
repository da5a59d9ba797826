/** `reeve explain hook.deploy.timeout`: a value, its origin and its schema. */
import type { ExpansionStep, SourceLocation } from "../../../grammar/diagnostic.js";
import { parseExpression } from "../../../grammar/parse.js";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import type {
  AttributeDescriptor,
  BlockDescriptor,
  ReloadClass,
  TypeDescriptor,
} from "../../plugin-api/descriptor.js";
import { ownProperty } from "../own-property.js";
import type { Input, Program, ProgramBlock } from "../program.js";
import { describeDescriptor } from "../types/describe.js";
import { blockAsWritten, toSource } from "../values/as-written.js";
import { ConfiguredBlock } from "../values/block.js";
import { renderValue } from "../values/render.js";
import { isObject } from "../values/value.js";
import { type OriginStep, originsOf } from "./origins.js";

export interface ValueExplanation {
  /** The requested path. */
  readonly path: string;
  /** Rendered in the language, secrets as `(secret)`. */
  readonly value: string;
  /** "a duration". Absent for a whole block. */
  readonly type?: string;
  /** From the attribute back to the literal; a default has one step. */
  readonly origin: readonly OriginStep[];
  /** The expansion of the block, innermost first. */
  readonly trace: readonly ExpansionStep[];
  /** What the schema says. */
  readonly doc?: string;
  readonly default?: string;
  /** The consequence of a change. */
  readonly reload: ReloadClass;
  /** What the value depends on besides the text. */
  readonly inputs: readonly Input[];
  /** Other blocks it reads or names. */
  readonly references: readonly string[];
  readonly location: SourceLocation;
}

export interface NothingThere {
  /** One sentence: "there is no `timeuot` in `hook.deploy`". */
  readonly problem: string;
  readonly suggestion?: string;
}

/** Explains a path into a program that `load` made. */
export function explainValue(program: Program, path: string): ValueExplanation | NothingThere {
  const steps = stepsOf(path);
  const found = steps && findBlock(program, steps);
  if (!found) {
    const suggestion = suggest(path, [...program.blocks.keys()]);
    return { problem: `there is no block at \`${path}\``, ...(suggestion ? { suggestion } : {}) };
  }
  return explainIn(program, found.block, found.rest, path);
}

type Step = string | number;

/** `hook["a b"].verify[0]` as its parts; `undefined` where it is no path. */
function stepsOf(path: string): readonly Step[] | undefined {
  const { expression, diagnostics } = parseExpression({ path: "<path>", text: path });
  if (diagnostics.length > 0) return undefined;
  const steps: Step[] = [];
  let node: tree.ExpressionNode = expression;
  while (node.kind !== "name") {
    if (node.kind === "member") steps.unshift(node.name.text);
    else if (node.kind === "index" && node.index?.kind === "string")
      steps.unshift(node.index.value);
    else if (node.kind === "index" && node.index?.kind === "number")
      steps.unshift(node.index.value);
    else return undefined;
    node = node.object;
  }
  return [node.text, ...steps];
}

function findBlock(
  program: Program,
  steps: readonly Step[],
): { readonly block: ProgramBlock; readonly rest: readonly Step[] } | undefined {
  for (const block of program.blocks.values()) {
    const key = stepsOf(block.key);
    if (key?.every((step, index) => step === steps[index])) {
      return { block, rest: steps.slice(key.length) };
    }
  }
  return undefined;
}

interface Position {
  readonly value: unknown;
  readonly block: BlockDescriptor | undefined;
  readonly attribute: AttributeDescriptor | undefined;
  readonly type: TypeDescriptor | undefined;
}

function explainIn(
  program: Program,
  block: ProgramBlock,
  rest: readonly Step[],
  path: string,
): ValueExplanation | NothingThere {
  const whole = new ConfiguredBlock(block);
  let at: Position = {
    value: whole,
    block: block.descriptor,
    attribute: undefined,
    type: undefined,
  };
  for (const step of rest) {
    const next = into(at, step);
    if (!next) return nothing(at, step, path);
    at = next;
  }
  const { attribute, type } = at;
  const { origin, inputs, references } = originsOf(program, block, rest);
  const reload = attribute?.reload ?? at.block?.reload ?? block.descriptor.reload;
  const doc = attribute?.doc ?? (attribute ? undefined : at.block?.doc);
  return {
    path,
    value: renderValue(
      attribute || !at.block ? toSource(at.value, type) : blockAsWritten(at.value, at.block),
      400,
    ),
    ...(type ? { type: describeDescriptor(type) } : {}),
    origin,
    trace: block.trace,
    ...(doc === undefined ? {} : { doc }),
    ...(attribute?.default === undefined ? {} : { default: attribute.default }),
    reload,
    inputs,
    references,
    location: whole.rangeOf(...rest),
  };
}

function into(at: Position, step: Step): Position | undefined {
  const { value } = at;
  if (value instanceof ConfiguredBlock) {
    const key = String(step);
    const attribute = ownProperty(at.block?.attributes, key);
    const nested = ownProperty(at.block?.blocks, key);
    if (!attribute && !nested) return undefined;
    return {
      value: value.values[key],
      block: nested ?? at.block,
      attribute,
      type: attribute?.type,
    };
  }
  if (Array.isArray(value)) {
    const inner: unknown = typeof step === "number" ? value.at(step) : undefined;
    const type = at.type?.type === "list" ? at.type.items : undefined;
    return inner === undefined ? undefined : { ...at, value: inner, type };
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
  const inner = at.type?.type === "map" ? at.type.values : undefined;
  const own =
    at.type?.type === "object" ? ownProperty(at.type.attributes, String(step)) : undefined;
  return {
    ...at,
    value: value[String(step)],
    attribute: own ?? at.attribute,
    type: own?.type ?? inner,
  };
}

function nothing(at: Position, step: Step, path: string): NothingThere {
  const names =
    at.value instanceof ConfiguredBlock && at.block
      ? [...Object.keys(at.block.attributes), ...Object.keys(at.block.blocks)]
      : isObject(at.value)
        ? Object.keys(at.value)
        : [];
  const suggestion = suggest(String(step), names);
  return {
    problem: `there is no \`${step}\` in \`${path}\``,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
