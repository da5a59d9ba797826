/** What a name means: its documentation, its value and where that comes from. */
import type { Hover, Position } from "vscode-languageserver-protocol";
import { NoValue } from "../../../daemon/config/evaluate/outcome.js";
import { accessPath } from "../../../daemon/config/evaluate/steps.js";
import { explainValue } from "../../../daemon/config/explain/explain.js";
import { renderValue } from "../../../daemon/config/values/render.js";
import type { Value } from "../../../daemon/config/values/value.js";
import type {
  AttributeNode,
  BlockNode,
  CallExpression,
  ExpressionNode,
} from "../../../grammar/tree.js";
import type { TextDocument } from "../language/document.js";
import { runTimeNames } from "../language/schema.js";
import { isName, kindOf, nodesAt, type TreeNode, writtenKind } from "../language/syntax.js";
import type { Project } from "../project.js";
import { aboutAttribute, aboutBlock, aboutFunction, aboutRunTimeName } from "./documentation.js";
import { symbolAt } from "./navigation.js";

/** Characters of a value that are shown. */
const SHOWN = 200;

export function hoverAt(
  project: Project,
  document: TextDocument,
  position: Position,
): Hover | undefined {
  const path = nodesAt(document.tree, document.offsetAt(position));
  const value = about(project, document, position, path);
  const node = path.at(-1);
  if (value === undefined || value === "" || !node) return undefined;
  return { contents: { kind: "markdown", value }, range: document.rangeOf(node) };
}

function about(
  project: Project,
  document: TextDocument,
  position: Position,
  path: readonly TreeNode[],
): string | undefined {
  const node = path.at(-1);
  const parent = path.at(-2);
  if (kindOf(parent) === "attribute" && node === (parent as AttributeNode).name)
    return aboutAttributeAt(project, document, path);
  const block = path.findLast((each) => kindOf(each) === "block") as BlockNode | undefined;
  const header = block && block.body.start > document.offsetAt(position) ? block : undefined;
  if (header) return aboutHeader(project, document, path, header);
  const call = path.findLast((each) => kindOf(each) === "call") as CallExpression | undefined;
  if (call && node && call.callee.start <= node.start && node.end <= call.callee.end) {
    const called = project.vocabulary.function(nameOf(call.callee));
    if (called) return aboutFunction(called);
  }
  return aboutSymbol(project, document, position) ?? aboutName(project, path, node);
}

/** The blocks around a node, outermost first. */
const blocksIn = (path: readonly TreeNode[]): readonly BlockNode[] =>
  path.filter((each): each is BlockNode => kindOf(each) === "block");

function aboutAttributeAt(
  project: Project,
  document: TextDocument,
  path: readonly TreeNode[],
): string | undefined {
  const { name } = path.at(-2) as AttributeNode;
  const blocks = blocksIn(path);
  const descriptor = project.vocabulary.block(blocks.map(writtenKind));
  if (!descriptor || !Object.hasOwn(descriptor.attributes, name.text)) return undefined;
  const attribute = descriptor.attributes[name.text];
  const value = evaluatedValue(project, document, blocks, name.text);
  return [attribute && aboutAttribute(name.text, attribute), value].filter(Boolean).join("\n\n");
}

/** The evaluated value, from the last good program; secrets as `(secret)`. */
function evaluatedValue(
  project: Project,
  document: TextDocument,
  [top, ...nested]: readonly BlockNode[],
  name: string,
): string | undefined {
  const { program } = project;
  const [key] = top ? project.blocksAt(document.path, top.start) : [];
  if (!program || key === undefined || nested.length > 0) return undefined;
  const found = explainValue(program, `${key}.${name}`);
  if ("problem" in found) return undefined;
  const origin = found.origin
    .slice(1)
    .map(({ text, value }) => `\`${text}\`${value === undefined ? "" : ` is \`${value}\``}`);
  return [`Value: \`${shortened(found.value)}\``, ...origin.map((each) => `- ${each}`)].join("\n");
}

function aboutHeader(
  project: Project,
  document: TextDocument,
  path: readonly TreeNode[],
  block: BlockNode,
): string | undefined {
  const kinds = blocksIn(path).map(writtenKind);
  const descriptor = project.vocabulary.block(kinds);
  if (!descriptor) return undefined;
  const keys = project.blocksAt(document.path, block.start).map((key) => `\`${key}\``);
  const blocks =
    keys.length > 1 || block.labels.some(({ kind }) => kind === "template") ? keys : [];
  return [
    aboutBlock(kinds.at(-1) ?? "", descriptor),
    block.doc ?? "",
    blocks.slice(0, 10).join(", "),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function aboutSymbol(
  project: Project,
  document: TextDocument,
  position: Position,
): string | undefined {
  const symbol = symbolAt(project, document, position);
  if (!symbol) return undefined;
  const definition = [...project.uses()].find(
    ({ use }) => use.isDefinition && use.key === symbol.key,
  );
  if (!definition) return undefined;
  const { path, use } = definition;
  const text = project.document(path)?.text.slice(use.item?.start, use.item?.end) ?? "";
  const [line = ""] = text.split(/\r?\n/);
  const code = `\`\`\`reeve\n${shortened(line)}\n\`\`\``;
  if (use.kind === "let") {
    const value = project.letValue(path, use.span.start);
    const shown =
      value === undefined || value instanceof NoValue
        ? ""
        : `Value: \`${renderValue(value as Value, SHOWN)}\``;
    return [code, use.doc ?? "", shown].filter((part) => part !== "").join("\n\n");
  }
  return [code, use.doc ?? ""].filter((part) => part !== "").join("\n\n");
}

/** A run-time name. */
function aboutName(
  project: Project,
  path: readonly TreeNode[],
  node: TreeNode | undefined,
): string | undefined {
  if (!isName(node)) return undefined;
  const attribute = path.findLast((each) => kindOf(each) === "attribute") as
    | AttributeNode
    | undefined;
  const descriptor = project.vocabulary.block(blocksIn(path).map(writtenKind));
  const known = attribute && descriptor?.attributes[attribute.name.text];
  const described = runTimeNames(known?.type).get(node.text);
  return described && aboutRunTimeName(node.text, described);
}

/** `acme.initials` */
function nameOf(node: ExpressionNode): string {
  const { base, steps } = accessPath(node);
  const names = steps.map((step) => (step.kind === "member" ? step.name.text : ""));
  return base.kind === "name" ? [base.text, ...names].join(".") : "";
}

const shortened = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
