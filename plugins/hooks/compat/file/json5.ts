/** Parses JSON5, which includes JSON, to a tree. */
import { type AnyNode, parse } from "@humanwhocodes/momoa";
import { type HooksFileNode, MAX_DEPTH, type TreeReading } from "./tree.js";

export function readJson5(text: string): TreeReading {
  try {
    return { ok: true, tree: nodeOf(parse(text, { mode: "json5" }).body, text, 0) };
  } catch (thrown) {
    const { line, column, message } = thrown as {
      line?: number;
      column?: number;
      message: string;
    };
    const position = { line: line ?? 1, column: column ?? 1 };
    return { ok: false, complaint: { position, message: sentence(message) } };
  }
}

const sentence = (message: string): string =>
  message.replace(/\s*\(\d+:\d+\)$/, "").replace(/\.$/, "");

function nodeOf(node: AnyNode, text: string, depth: number): HooksFileNode {
  const position = { line: node.loc.start.line, column: node.loc.start.column };
  if (depth > MAX_DEPTH) throw Object.assign(new Error("it is nested too deeply"), position);
  switch (node.type) {
    case "Array":
      return {
        kind: "list",
        items: node.elements.map(({ value }) => nodeOf(value, text, depth + 1)),
        position,
      };
    case "Object":
      return {
        kind: "map",
        members: node.members.map(({ name, value, loc }) => ({
          name: name.type === "String" ? name.value : name.name,
          value: nodeOf(value, text, depth + 1),
          position: { line: loc.start.line, column: loc.start.column },
        })),
        position,
      };
    case "String":
      return { kind: "scalar", text: node.value, plain: false, position };
    case "Number":
      return {
        kind: "scalar",
        text: text.slice(node.loc.start.offset, node.loc.end.offset),
        plain: true,
        position,
      };
    case "Boolean":
      return { kind: "scalar", text: String(node.value), plain: true, position };
    default:
      return { kind: "scalar", text: "null", plain: true, position };
  }
}
