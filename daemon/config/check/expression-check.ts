/** Checks attributes declared with `c.expr`: whether the residual expression can return the expected type. */
import type * as z from "zod";
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { childrenOf } from "../expression/nodes.js";
import { describeDescriptor, describeType } from "../types/describe.js";
import { fits, LIST, OBJECT, STRING, type Type, typeOfDescriptor } from "../types/type.js";
import { typeOf } from "../types/value-type.js";
import { isList, isObject, Residual, type Value, type ValueNode } from "../values/value.js";
import { ExpressionDraft } from "./draft.js";
import { VISIBLE } from "./open-values.js";
import { addMismatch, type TypeMismatch } from "./type-mismatch.js";

type ExpressionType = Extract<TypeDescriptor, { type: "expression" }>;
type Payload = Parameters<typeof addMismatch>[0];

export function checkExpression(
  type: ExpressionType,
  returns: z.ZodType,
  value: Value,
  payload: Payload,
): unknown {
  const open = openParts(value);
  if (open.length === 0) return checkConstant(type, returns, value, payload);
  const mismatch = openMismatchOf(type, value, open);
  if (mismatch) return addMismatch(payload, mismatch);
  return new ExpressionDraft(
    value,
    type.returns,
    open.some((part) => part.secret),
  );
}

/** A known value must be valid at load time. */
function checkConstant(
  type: ExpressionType,
  returns: z.ZodType,
  value: Value,
  payload: Payload,
): unknown {
  const checked = returns.safeParse(value);
  if (checked.success) return new ExpressionDraft(value, type.returns, false);
  payload.issues.push(...checked.error.issues);
  return undefined;
}

function openMismatchOf(
  type: ExpressionType,
  value: Value,
  open: readonly Residual[],
): TypeMismatch | undefined {
  const unknownName = open
    .map(({ node }) => strangeName(node, type))
    .find((name) => name !== undefined);
  if (unknownName !== undefined) {
    const complaint = `uses \`${unknownName}\`, which is no name of the ${type.scope.title}`;
    return { code: "E201", complaint };
  }
  const isSecret = open.some((part) => part.secret);
  if (isSecret && !mayBeSecret(type.returns)) {
    return {
      code: "E215",
      complaint: "depends on a secret",
      help: VISIBLE,
    };
  }
  const given: Type = typeOf(value);
  const wanted = typeOfDescriptor(isSecret ? type.returns : withoutSecret(type.returns));
  const isWrong = fits(given, wanted) === "never";
  const branch =
    value instanceof Residual && !isWrong ? wrongBranch(value.node, wanted) : undefined;
  if (!isWrong && branch === undefined) return undefined;
  const gives = branch
    ? `one branch gives ${describeType(branch)}`
    : `this gives ${describeType(given)}`;
  return { code: "E316", complaint: `must give ${describeDescriptor(type.returns)}, and ${gives}` };
}

/** The type of a branch of `? :` or `??` that can never be right. */
function wrongBranch(node: ValueNode, wanted: Type): Type | undefined {
  if (node.op === "conditional") {
    return wrongBranch(node.consequent, wanted) ?? wrongBranch(node.alternate, wanted);
  }
  if (node.op === "binary" && node.operator === "??") {
    return wrongBranch(node.left, wanted) ?? wrongBranch(node.right, wanted);
  }
  const type = evidentType(node);
  return type && fits(type, wanted) === "never" ? type : undefined;
}

/** The type that a node has by its form. */
function evidentType(node: ValueNode): Type | undefined {
  switch (node.op) {
    case "constant":
      return typeOf(node.value);
    case "name":
      return node.type;
    case "template":
      return STRING;
    case "list":
      return LIST;
    case "object":
      return OBJECT;
    default:
      return undefined;
  }
}

/** A run-time name that is available only to another attribute of the same type. */
function strangeName(node: ValueNode, type: ExpressionType): string | undefined {
  if (node.op === "name") return Object.hasOwn(type.scope.names, node.name) ? undefined : node.name;
  for (const child of childrenOf(node)) {
    const found = strangeName(child, type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A secret may have any type; what is none has one of the others. */
const withoutSecret = (type: TypeDescriptor): TypeDescriptor =>
  type.type === "union" ? { ...type, of: type.of.filter((each) => each.type !== "secret") } : type;

function mayBeSecret(type: TypeDescriptor): boolean {
  if (type.type === "union") return type.of.some(mayBeSecret);
  return type.type === "secret" || type.type === "any";
}

function openParts(value: Value): readonly Residual[] {
  if (value instanceof Residual) return [value];
  if (isList(value)) return value.flatMap(openParts);
  return isObject(value) ? Object.values(value).flatMap(openParts) : [];
}
