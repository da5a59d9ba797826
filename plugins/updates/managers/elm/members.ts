/** The members of an object of JSON replaced: values alone where the names stay, else the object, in the indentation it had. */
import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { UpdatesError } from "../../errors.js";
import { replaced, withoutMark } from "../../text/text.js";

/** @throws UpdatesError `manifest_unreadable` where there is no such object to put members into */
export function withMembers(
  file: string,
  whole: string,
  path: readonly string[],
  members: ReadonlyMap<string, string>,
): string {
  const { text, skipped } = withoutMark(whole);
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [...path]);
  const children = node?.type === "object" ? (node.children ?? []) : undefined;
  if (!node || !children) {
    if (members.size === 0) return whole;
    throw new UpdatesError("manifest_unreadable", `${file} has no object ${path.join(".")}.`);
  }
  const names = children.map(({ children: [key] = [] }) => String(key?.value));
  const same = names.length === members.size && names.every((name) => members.has(name));
  if (same)
    return replaced(
      whole,
      children.flatMap(({ children: [key, value] = [] }) => {
        const next = members.get(String(key?.value));
        if (!value || next === undefined || value.value === next) return [];
        const start = value.offset + skipped;
        return [{ range: { start, end: start + value.length }, text: JSON.stringify(next) }];
      }),
    );
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const line = text.slice(text.lastIndexOf("\n", node.offset) + 1, node.offset);
  const outer = /^[ \t]*/.exec(line)?.[0] ?? "";
  const step = outer.includes("\t")
    ? outer.slice(0, outer.length / path.length)
    : " ".repeat(outer.length / path.length || 4);
  const lines = [...members].map(
    ([name, version]) => `${outer}${step}${JSON.stringify(name)}: ${JSON.stringify(version)}`,
  );
  const object =
    lines.length === 0 ? "{}" : `{${newline}${lines.join(`,${newline}`)}${newline}${outer}}`;
  const start = node.offset + skipped;
  return replaced(whole, [{ range: { start, end: start + node.length }, text: object }]);
}
