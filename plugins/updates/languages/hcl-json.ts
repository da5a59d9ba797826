/** Terraform's JSON syntax: blocks with the source ranges of their strings. */
import { type Node, parseTree } from "jsonc-parser";
import { readJson } from "../text/json.js";
import { withoutMark } from "../text/text.js";
import { type HclBlock, type HclBody, type HclValue, hclReference } from "./hcl.js";

/** Labels of each block type; a member with any other name is an attribute. */
const LABELS: Readonly<Record<string, number>> = {
  terraform: 0,
  locals: 0,
  required_providers: 0,
  module: 1,
  resource: 2,
  provider: 1,
};

/** @throws UpdatesError `manifest_unreadable` */
export function readJsonBody(file: string, whole: string): HclBody {
  readJson(file, whole);
  const { text, skipped } = withoutMark(whole);
  const root = parseTree(text);
  return root?.type === "object" ? bodyOf(root, { text, skipped }) : NOTHING;
}

interface Source {
  readonly text: string;
  /** Characters before the text: a byte order mark. */
  readonly skipped: number;
}

const NOTHING: HclBody = { attributes: new Map(), blocks: [] };

function bodyOf(node: Node, source: Source): HclBody {
  const attributes = new Map<string, HclValue>();
  const blocks: HclBlock[] = [];
  for (const [name, value] of membersOf(node)) {
    const labels = LABELS[name];
    if (labels === undefined) attributes.set(name, hclValue(value, source));
    else blocks.push(...blocksOf(name, [], value, labels, source));
  }
  return { attributes, blocks };
}

/** An object is a block, a list of objects several blocks; each label is a member around them. */
function blocksOf(
  type: string,
  labels: readonly string[],
  node: Node,
  missing: number,
  source: Source,
): readonly HclBlock[] {
  if (node.type === "array")
    return (node.children ?? []).flatMap((each) => blocksOf(type, labels, each, missing, source));
  if (node.type !== "object") return [];
  if (missing === 0) return [{ type, labels, body: bodyOf(node, source) }];
  return membersOf(node).flatMap(([label, value]) =>
    blocksOf(type, [...labels, label], value, missing - 1, source),
  );
}

/** A member called `//` is a comment. */
const membersOf = ({ children = [] }: Node): readonly (readonly [string, Node])[] =>
  children.flatMap(({ children: [key, value] = [] }) =>
    key && value && key.value !== "//" ? [[String(key.value), value] as const] : [],
  );

function hclValue(node: Node, source: Source): HclValue {
  const start = node.offset + source.skipped;
  const end = start + node.length;
  if (node.type === "object")
    return {
      kind: "object",
      members: new Map(membersOf(node).map(([key, value]) => [key, hclValue(value, source)])),
    };
  if (node.type === "array")
    return {
      kind: "list",
      items: (node.children ?? []).map((each) => hclValue(each, source)),
      range: { start, end },
    };
  const value = String(node.value);
  if (node.type !== "string") return { kind: "other" };
  if (/[$%]\{/.test(value)) return hclReference(value);
  const isPlain = source.text.slice(node.offset + 1, node.offset + node.length - 1) === value;
  return { kind: "text", value, range: { start: start + 1, end: end - 1 }, isPlain };
}
