/** TOML with source ranges. */
import { type AST, parseTOML } from "toml-eslint-parser";
import { UpdatesError } from "../errors.js";
import { type TextRange, withoutMark } from "./text.js";

interface TomlText {
  readonly kind: "text";
  readonly value: string;
  /** Between the quotes; undefined where source and value differ: an escape, a folded line. */
  readonly range: TextRange | undefined;
}
export interface TomlTable {
  readonly kind: "table";
  readonly members: Map<string, TomlNode>;
}
interface TomlList {
  readonly kind: "list";
  readonly items: TomlNode[];
}
interface TomlOther {
  readonly kind: "other";
  readonly value: unknown;
}
export type TomlNode = TomlText | TomlTable | TomlList | TomlOther;

/** @throws UpdatesError `manifest_unreadable` */
export function readToml(file: string, whole: string): TomlTable {
  const { text, skipped } = withoutMark(whole);
  const root = emptyTable();
  try {
    const [top] = parseTOML(text, { tomlVersion: "1.0.0" }).body;
    for (const node of top?.body ?? []) {
      if (node.type === "TOMLKeyValue") put(root, node, whole, skipped);
      else fill(tableOf(root, node.resolvedKey), node, whole, skipped);
    }
  } catch (error) {
    const { lineNumber: line, message } = error as Error & { readonly lineNumber?: number };
    const location = line === undefined ? file : `${file}:${line}`;
    throw new UpdatesError("manifest_unreadable", `${location} is not TOML: ${message}.`, {
      cause: error,
    });
  }
  return root;
}

const emptyTable = (): TomlTable => ({ kind: "table", members: new Map() });

function fill(table: TomlTable, node: AST.TOMLTable, whole: string, skipped: number): void {
  for (const pair of node.body) put(table, pair, whole, skipped);
}

function put(table: TomlTable, pair: AST.TOMLKeyValue, whole: string, skipped: number): void {
  const keys = pair.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  const last = keys.pop() ?? "";
  tableOf(table, keys).members.set(last, converted(pair.value, whole, skipped));
}

/** The table at `path`, created if missing; a number is an index in a list of tables. */
function tableOf(root: TomlTable, path: readonly (string | number)[]): TomlTable {
  let node: TomlNode = root;
  for (const [depth, step] of path.entries()) {
    const next: TomlNode =
      typeof path[depth + 1] === "number" ? { kind: "list", items: [] } : emptyTable();
    node = stepInto(node, step, next);
  }
  if (node.kind === "table") return node;
  throw new Error(`${path.join(".")} is not a table`);
}

function converted(node: AST.TOMLContentNode, whole: string, skipped: number): TomlNode {
  if (node.type === "TOMLArray")
    return { kind: "list", items: node.elements.map((each) => converted(each, whole, skipped)) };
  if (node.type === "TOMLInlineTable") {
    const table = emptyTable();
    for (const pair of node.body) put(table, pair, whole, skipped);
    return table;
  }
  if (node.kind !== "string") return { kind: "other", value: node.value };
  const first = node.range[0] + skipped;
  // A line end right after three quotes is no part of the value.
  const [quote = ""] = /^(?:"""|''')\r?\n?/.exec(whole.slice(first, first + 5)) ?? [];
  const width = node.multiline ? 3 : 1;
  const start = first + (node.multiline ? quote.length : 1);
  const range = { start, end: node.range[1] - width + skipped };
  const same = whole.slice(range.start, range.end) === node.value;
  return { kind: "text", value: node.value, range: same ? range : undefined };
}

function stepInto(node: TomlNode, step: string | number, next: TomlNode): TomlNode {
  if (node.kind === "list" && typeof step === "number") {
    const known = node.items[step] ?? next;
    node.items[step] = known;
    return known;
  }
  if (node.kind !== "table") return node;
  const known = node.members.get(String(step)) ?? next;
  node.members.set(String(step), known);
  return known;
}

/** The node at `path`; undefined where there is none. */
export function tomlAt(
  node: TomlNode | undefined,
  ...path: readonly string[]
): TomlNode | undefined {
  return path.reduce<TomlNode | undefined>(
    (at, key) => (at?.kind === "table" ? at.members.get(key) : undefined),
    node,
  );
}

/** The members of the table at `path`, in order; none without a table. */
export function tomlMembers(
  node: TomlNode | undefined,
  ...path: readonly string[]
): readonly (readonly [key: string, value: TomlNode])[] {
  const at = tomlAt(node, ...path);
  return at?.kind === "table" ? [...at.members] : [];
}

/** The items of the list at `path`; none without a list. */
export function tomlItems(
  node: TomlNode | undefined,
  ...path: readonly string[]
): readonly TomlNode[] {
  const at = tomlAt(node, ...path);
  return at?.kind === "list" ? at.items : [];
}

/** The string at `path`; undefined for anything else. */
export function tomlText(
  node: TomlNode | undefined,
  ...path: readonly string[]
): string | undefined {
  const at = tomlAt(node, ...path);
  return at?.kind === "text" ? at.value : undefined;
}

/** The strings of the list at `path`. */
export const tomlTexts = (
  node: TomlNode | undefined,
  ...path: readonly string[]
): readonly string[] =>
  tomlItems(node, ...path).flatMap((item) => (item.kind === "text" ? [item.value] : []));

/** True only for a `true` at `path`. */
export function tomlTrue(node: TomlNode | undefined, ...path: readonly string[]): boolean {
  const at = tomlAt(node, ...path);
  return at?.kind === "other" && at.value === true;
}
