/** The hash by which Composer tells that a lock is for another composer.json: of what in it bears on versions. */
import { createHash } from "node:crypto";
import { type Node, parseTree } from "jsonc-parser";
import { withoutMark } from "../../text/text.js";

const RELEVANT = [
  ...["conflict", "extra", "minimum-stability", "name", "prefer-stable", "provide", "replace"],
  ...["repositories", "require", "require-dev", "version"],
];

export function composerContentHash(composerJson: string): string {
  const { text } = withoutMark(composerJson);
  const root = parseTree(text);
  const parts = RELEVANT.flatMap((key): readonly (readonly [string, string])[] => {
    const node = member(root, key);
    return node && node.type !== "null"
      ? [[key, written(node, text)]]
      : node
        ? [[key, "null"]]
        : [];
  });
  const platform = member(member(root, "config"), "platform");
  if (platform && platform.type !== "null")
    parts.push(["config", `{"platform":${written(platform, text)}}`]);
  const sorted = parts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const whole = sorted.map(([key, value]) => `"${key}":${value}`).join(",");
  return createHash("md5")
    .update(sorted.length === 0 ? "[]" : `{${whole}}`)
    .digest("hex");
}

const member = (node: Node | undefined, key: string): Node | undefined =>
  node?.type === "object"
    ? node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]
    : undefined;

/** Without spaces, as PHP's `json_encode` does by itself. */
function written(node: Node, text: string): string {
  if (node.type === "string") return quoted(String(node.value));
  if (node.type === "array")
    return `[${(node.children ?? []).map((child) => written(child, text)).join(",")}]`;
  if (node.type !== "object") return text.slice(node.offset, node.offset + node.length);
  const members = new Map<string, string>();
  for (const { children: [key, value] = [] } of node.children ?? [])
    if (key && value) members.set(String(key.value), written(value, text));
  // To PHP, keys that count from 0 on are a list.
  const isList = [...members.keys()].every((key, position) => key === String(position));
  return isList
    ? `[${[...members.values()].join(",")}]`
    : `{${[...members].map(([key, value]) => `${quoted(key)}:${value}`).join(",")}}`;
}

const quoted = (text: string): string =>
  JSON.stringify(text)
    .replaceAll("/", "\\/")
    .replace(/[\u007F-\uFFFF]/g, (char) =>
      char === "\u007F" ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
