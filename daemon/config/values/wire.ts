/**
 * Configuration values as JSON-safe data, for crossing isolation borders. Resolved secrets cross with their content,
 * because the plugin needs it: what `encodeValue` gives belongs into a pipe to a plugin and nowhere else.
 */
import { type TypeDescriptor } from "../../plugin-api/descriptor.js";
import { type Range } from "../../plugin-api/values.js";
import { type ExpressionParts, RunTimeExpression } from "../expression/expression.js";
import { type BlockParts, ConfiguredBlock } from "./block.js";
import { compilePattern, LinearPattern } from "./pattern.js";
import { Quantity } from "./quantity.js";
import { SecretValue } from "./secret.js";
import { BlockReference, type Value, type ValueNode } from "./value.js";

/** The key that marks tagged data. An ordinary object that has it is tagged itself, so that nothing is mistaken. */
const TAG = "$reeve";

type Data = Readonly<Record<string, unknown>>;

/** Any value of a program, of a scope, or plain JSON data, as data that `JSON.stringify` keeps. */
export function encodeValue(value: unknown): unknown {
  if (value === undefined) return { [TAG]: "undefined" };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { [TAG]: "number", text: Object.is(value, -0) ? "-0" : String(value) };
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(encodeValue);
  if (value instanceof Uint8Array) {
    return { [TAG]: "bytes", base64: Buffer.from(value).toString("base64") };
  }
  if (value instanceof Quantity)
    return { [TAG]: "quantity", unit: value.unit, amount: value.amount };
  if (value instanceof LinearPattern) {
    return { [TAG]: "pattern", source: value.source, flags: value.flags };
  }
  if (value instanceof BlockReference) {
    return { [TAG]: "reference", kind: value.kind, label: value.label, key: value.key };
  }
  if (value instanceof SecretValue) return encodeSecret(value);
  if (value instanceof RunTimeExpression) return encodeExpression(value);
  if (value instanceof ConfiguredBlock) return encodeBlock(value);
  const entries = mapEntries(value as Data, encodeValue);
  return Object.hasOwn(value, TAG) ? { [TAG]: "object", entries } : entries;
}

/** What `encodeValue` made, as values again. @throws TypeError for a tag it does not know. */
export function decodeValue(data: unknown): unknown {
  if (data === null || typeof data !== "object") return data;
  if (Array.isArray(data)) return data.map(decodeValue);
  if (!Object.hasOwn(data, TAG)) return mapEntries(data as Data, decodeValue);
  return decodeTagged(data as Data);
}

function decodeTagged(data: Data): unknown {
  switch (data[TAG]) {
    case "undefined":
      return undefined;
    case "number":
      return Number(data.text);
    case "bytes":
      return new Uint8Array(Buffer.from(data.base64 as string, "base64"));
    case "quantity":
      return new Quantity(data.unit as Quantity["unit"], data.amount as number);
    case "pattern":
      return decodePattern(data);
    case "reference":
      return new BlockReference(data.kind as string, data.label as string, data.key as string);
    case "secret":
      return decodeSecret(data);
    case "expression":
      return decodeExpression(data);
    case "block":
      return decodeBlock(data);
    case "object":
      return mapEntries(data.entries as Data, decodeValue);
    default:
      throw new TypeError(`Unknown value on the wire: ${String(data[TAG])}`);
  }
}

/** Own enumerable entries only, `__proto__` included as a name like any other. */
function mapEntries(data: Data, change: (value: unknown) => unknown): Data {
  return Object.fromEntries(Object.entries(data).map(([name, each]) => [name, change(each)]));
}

function decodePattern(data: Data): LinearPattern {
  const pattern = compilePattern(data.source as string, data.flags as string);
  if (pattern instanceof LinearPattern) return pattern;
  throw new TypeError(`A pattern on the wire cannot be compiled: ${pattern.message}`);
}

// ---------------------------------------------------------------- secrets

/** With its content once it is resolved; before, with nothing but what it is to be made of. */
function encodeSecret(secret: SecretValue): Data {
  return {
    [TAG]: "secret",
    references: secret.references,
    node: encodeNode(secret.node),
    ...(secret.resolved ? { content: secret.reveal() } : {}),
  };
}

function decodeSecret(data: Data): SecretValue {
  return new SecretValue(
    decodeNode(data.node),
    data.references as readonly string[],
    data.content as string | undefined,
  );
}

// ---------------------------------------------------------------- expressions

function encodeExpression(expression: RunTimeExpression): Data {
  const { node, ...rest } = expression.parts;
  const secrets = expression.secrets;
  return {
    [TAG]: "expression",
    ...rest,
    node: encodeNode(node),
    ...(secrets ? { secrets: Object.fromEntries(secrets) } : {}),
  };
}

function decodeExpression(data: Data): RunTimeExpression {
  const parts: ExpressionParts = {
    text: data.text as string,
    range: data.range as Range,
    node: decodeNode(data.node),
    returns: data.returns as TypeDescriptor,
    secret: data.secret as boolean,
  };
  const secrets = data.secrets as Readonly<Record<string, string>> | undefined;
  return new RunTimeExpression(parts, secrets ? new Map(Object.entries(secrets)) : undefined);
}

/** Nodes are JSON already, but for the values of constants. */
const encodeNode = (node: ValueNode): unknown =>
  mapNode(node, (value) => encodeValue(value) as Value);
const decodeNode = (data: unknown): ValueNode =>
  mapNode(data as ValueNode, (value) => decodeValue(value) as Value);

// ---------------------------------------------------------------- blocks

function encodeBlock(block: ConfiguredBlock): Data {
  return {
    [TAG]: "block",
    kind: block.kind,
    labels: block.labels,
    key: block.key,
    doc: block.doc ?? null,
    values: mapEntries(block.values, encodeValue),
    ranges: Object.fromEntries(block.ranges),
  };
}

function decodeBlock(data: Data): ConfiguredBlock {
  const parts: BlockParts = {
    kind: data.kind as string,
    labels: data.labels as readonly string[],
    key: data.key as string,
    doc: (data.doc as string | null) ?? undefined,
    values: mapEntries(data.values as Data, decodeValue),
    ranges: new Map(Object.entries(data.ranges as Readonly<Record<string, Range>>)),
  };
  return new ConfiguredBlock(parts);
}

function mapNode(node: ValueNode, change: (value: Value) => Value): ValueNode {
  const go = (each: ValueNode): ValueNode => mapNode(each, change);
  switch (node.op) {
    case "constant":
      return { ...node, value: change(node.value) };
    case "name":
    case "local":
    case "secret":
      return node;
    case "index":
      return { ...node, object: go(node.object), key: go(node.key) };
    case "every":
      return { ...node, object: go(node.object), body: go(node.body) };
    case "unary":
      return { ...node, operand: go(node.operand) };
    case "binary":
      return { ...node, left: go(node.left), right: go(node.right) };
    case "conditional":
      return {
        ...node,
        test: go(node.test),
        consequent: go(node.consequent),
        alternate: go(node.alternate),
      };
    case "template":
      return { ...node, parts: node.parts.map(go) };
    case "list":
      return { ...node, items: node.items.map(go) };
    case "object":
      return { ...node, entries: node.entries.map(([name, value]) => [name, go(value)] as const) };
    case "for":
      return {
        ...node,
        iterable: go(node.iterable),
        body: go(node.body),
        ...(node.test ? { test: go(node.test) } : {}),
        ...(node.name ? { name: go(node.name) } : {}),
      };
    case "call":
      return { ...node, arguments: node.arguments.map(go) };
  }
}
