/** The tree by offset: its nodes are plain data and are walked by their fields. */
import type { BlockNode, Body, File, Name, Span, SyntaxNode } from "../../../grammar/tree.js";

export type TreeNode = SyntaxNode | Body;

const isNode = (value: unknown): value is TreeNode =>
  typeof value === "object" && value !== null && "start" in value && "end" in value;

/** The nodes directly below a node, in source order. */
export function childrenOf(node: TreeNode): readonly TreeNode[] {
  const found: TreeNode[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) found.push(...value.filter(isNode));
    else if (isNode(value)) found.push(value);
  }
  return found.sort((one, other) => one.start - other.start);
}

/** The nodes that contain an offset, outermost first. A node contains the offset at its end, too. */
export function nodesAt(file: File, offset: number): readonly TreeNode[] {
  const path: TreeNode[] = [file];
  for (let node: TreeNode | undefined = file; node; ) {
    const inside: TreeNode[] = childrenOf(node).filter(
      (each) => each.start <= offset && offset <= each.end,
    );
    // Between two nodes that touch, a name is meant, not what follows it.
    node = inside.find((each) => isName(each)) ?? inside.at(-1);
    if (node) path.push(node);
  }
  return path;
}

/** The body whose `{` is at an offset. */
export function bodyAt(file: File, start: number): Body | undefined {
  const found = nodesAt(file, start + 1).find(
    (node) => kindOf(node) === "body" && node.start === start,
  );
  return found as Body | undefined;
}

export const kindOf = (node: TreeNode | undefined): SyntaxNode["kind"] | "body" | undefined =>
  node === undefined ? undefined : "kind" in node ? node.kind : "body";

export const isName = (node: TreeNode | undefined): node is Name => kindOf(node) === "name";

/** `hook`, `acme.chat`. */
export const writtenKind = ({ type }: BlockNode): string => type.map(({ text }) => text).join(".");

/** The labels that are plain strings; `undefined` for one that is computed. */
export const labelsOf = ({ labels }: BlockNode): ReadonlyArray<string | undefined> =>
  labels.map((label) => (label.kind === "string" ? label.value : undefined));

/** The text between the quotes of a string, or the whole span where it has none. */
export function insideQuotes(text: string, { start, end }: Span): Span {
  const quoted = /^r?"(?!"")/.exec(text.slice(start, end));
  if (!quoted) return { start, end };
  const from = start + quoted[0].length;
  return { start: from, end: text[end - 1] === '"' && end > from ? end - 1 : end };
}

export const isIdentifier = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
