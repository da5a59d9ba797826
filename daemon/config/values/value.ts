/**
 * Values of the language, at load time and at run time: plain data, quantities, patterns, references and residual
 * expressions.
 */
import type { Range } from "../../plugin-api/values.js";
import type { Type } from "../types/type.js";
import type { LinearPattern } from "./pattern.js";
import type { Quantity } from "./quantity.js";

export type Value =
  | null
  | boolean
  | number
  | string
  | Quantity
  | LinearPattern
  | BlockReference
  | Residual
  | readonly Value[]
  | ValueObject;

/** An object of the language. Made without a prototype, so that `constructor` is a name like any other. */
export interface ValueObject {
  readonly [name: string]: Value;
}

/** A block named in an expression: `sandbox.build`. */
export class BlockReference {
  readonly kind: string;
  readonly label: string;
  readonly key: string;

  constructor(kind: string, label: string, key: string) {
    this.kind = kind;
    this.label = label;
    this.key = key;
  }

  toString(): string {
    return this.key;
  }

  toJSON(): string {
    return this.key;
  }
}

/**
 * A residual expression: what remains after constant folding. It depends on run-time names (*later*), secrets, or
 * both. Plain data, so that it crosses isolation boundaries.
 */
export class Residual {
  readonly node: ValueNode;
  readonly type: Type;
  readonly measure: Measure;

  constructor(node: ValueNode, type: Type, measure: Measure) {
    this.node = node;
    this.type = type;
    this.measure = measure;
  }

  /** It contains a run-time name. */
  get later(): boolean {
    return this.measure.later;
  }

  /** It contains a secret, so its value is secret. */
  get secret(): boolean {
    return this.measure.secret;
  }

  /** Never the content: a residual may stand for a secret. */
  toString(): string {
    return this.secret ? "(secret)" : "(later)";
  }

  toJSON(): string {
    return this.toString();
  }
}

/** The size of a value including its elements, shared ones counted each time, and whether parts are unknown. */
export interface Measure {
  readonly elements: number;
  readonly depth: number;
  /** It contains a run-time name. */
  readonly later: boolean;
  /** It contains a secret. */
  readonly secret: boolean;
}

/** One node of a residual expression, with its location in the text. */
export type ValueNode = { readonly range: Range } & (
  | { readonly op: "constant"; readonly value: Value }
  /** A run-time name, or the variable of a `for` inside the expression. */
  | { readonly op: "name"; readonly name: string; readonly type: Type; readonly lowerCase?: true }
  | { readonly op: "local"; readonly slot: number; readonly name: string }
  /** `env:TOKEN`, as given to `secret(…)`. */
  | { readonly op: "secret"; readonly reference: string }
  | { readonly op: "index"; readonly object: ValueNode; readonly key: ValueNode }
  /** `object[*]…`: `body` for every element, which stands in `slot`. */
  | {
      readonly op: "every";
      readonly object: ValueNode;
      readonly slot: number;
      readonly body: ValueNode;
    }
  | { readonly op: "unary"; readonly operator: "!" | "-"; readonly operand: ValueNode }
  | {
      readonly op: "binary";
      readonly operator: RunTimeOperator;
      readonly left: ValueNode;
      readonly right: ValueNode;
    }
  | {
      readonly op: "conditional";
      readonly test: ValueNode;
      readonly consequent: ValueNode;
      readonly alternate: ValueNode;
    }
  | { readonly op: "template"; readonly parts: readonly ValueNode[] }
  | { readonly op: "list"; readonly items: readonly ValueNode[] }
  | { readonly op: "object"; readonly entries: ReadonlyArray<readonly [string, ValueNode]> }
  | {
      readonly op: "for";
      readonly iterable: ValueNode;
      readonly slot: number;
      /** The slot of the index of an element or the name of a value. */
      readonly keySlot?: number;
      readonly test?: ValueNode;
      /** The name of an entry: the result is an object. */
      readonly name?: ValueNode;
      readonly body: ValueNode;
    }
  | { readonly op: "call"; readonly name: string; readonly arguments: readonly ValueNode[] }
);

/** The operators that run-time expressions support: all of them. */
export type RunTimeOperator =
  | "??"
  | "||"
  | "&&"
  | "=="
  | "!="
  | "=~"
  | "<"
  | "<="
  | ">"
  | ">="
  | "in"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%";

export const isList = (value: unknown): value is readonly Value[] => Array.isArray(value);

/** Objects of the language and of JSON; not quantities, patterns and the like. */
export function isObject(value: unknown): value is ValueObject {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** An object of the language from its entries. */
export function objectOf(entries: Iterable<readonly [string, Value]>): ValueObject {
  const object = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) object[name] = value;
  return object;
}
