/** A package as Composer writes it into a lock: Composer's order of fields and PHP's JSON. */

import { createHash } from "node:crypto";
import { type Node, parseTree } from "jsonc-parser";
import { compareText, withoutMark } from "../../../text/text.js";
import type { PackageVersion } from "../registry.js";
import { type JsonObject, jsonObject } from "./read.js";

const LINKS = ["require", "conflict", "provide", "replace", "require-dev"];
const FIRST = [
  "bin",
  "type",
  "extra",
  "autoload",
  "autoload-dev",
  "notification-url",
  "include-path",
];
const LAST = [
  ...["scripts", "license", "authors", "description", "homepage", "keywords", "repositories"],
  ...["support", "funding"],
];

/** Undefined for metadata whose position in a lock is unknown. */
export function lockEntry({ metadata, page }: PackageVersion): JsonObject | undefined {
  const whole: JsonObject = {
    ...metadata,
    type: typeof metadata.type === "string" ? metadata.type.toLowerCase() : "library",
    ...(page.notify === undefined || metadata["notification-url"] !== undefined
      ? {}
      : { "notification-url": page.notify }),
    ...(typeof metadata.license === "string" ? { license: [metadata.license] } : {}),
    ...(Array.isArray(metadata.keywords)
      ? { keywords: metadata.keywords.map(String).toSorted() }
      : {}),
    ...(typeof metadata.bin === "string" ? { bin: [metadata.bin] } : {}),
  };
  const time = timeOf(metadata.time);
  if (
    page.mirrored ||
    time === null ||
    ["archive", "php-ext", "target-dir", "transport-options"].some((key) => key in metadata)
  )
    return undefined;
  const entry: Record<string, unknown> = { name: metadata.name, version: metadata.version };
  const put = (key: string, value: unknown): void => {
    if (value !== undefined && value !== null && value !== "" && !isEmpty(value))
      entry[key] = value;
  };
  put("source", picked(whole.source, ["type", "url", "reference", "mirrors"]));
  put("dist", picked(whole.dist, ["type", "url", "reference", "shasum", "mirrors"]));
  for (const key of LINKS)
    put(
      key,
      sorted(jsonObject(whole[key]), (name) => name.toLowerCase()),
    );
  put(
    "suggest",
    sorted(jsonObject(whole.suggest), (name) => name),
  );
  if (whole["default-branch"] === true) put("default-branch", true);
  for (const key of [...FIRST, ...LAST]) put(key, whole[key]);
  if (whole.abandoned !== undefined && whole.abandoned !== false)
    put("abandoned", typeof whole.abandoned === "string" ? whole.abandoned : true);
  put("time", time);
  return entry;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function picked(value: unknown, keys: readonly string[]): JsonObject {
  const whole = jsonObject(value);
  return Object.fromEntries(
    keys
      .filter((key) => whole[key] !== undefined && whole[key] !== null)
      .map((key) => [key, whole[key]]),
  );
}

const sorted = (links: JsonObject, named: (name: string) => string): JsonObject =>
  Object.fromEntries(
    Object.entries(links)
      .map(([name, value]) => [named(name), value] as const)
      .toSorted(([a], [b]) => compareText(a, b)),
  );

/** The date as PHP writes it; null for an unknown format. */
function timeOf(time: unknown): string | undefined | null {
  if (time === undefined || time === null) return undefined;
  const [, day, clock, zone = "+00:00"] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(String(time)) ?? [];
  return day === undefined ? null : `${day}T${clock}${zone === "Z" ? "+00:00" : zone}`;
}

/** JSON in PHP's pretty format: an empty object is written `[]`. */
export const phpJson = (value: unknown, indent: string): string =>
  JSON.stringify(value, (_key, one: unknown) => (isEmpty(one) ? [] : one), indent)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");

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

/** Compact, as PHP's `json_encode` writes it. */
function written(node: Node, text: string): string {
  if (node.type === "string") return quoted(String(node.value));
  if (node.type === "array")
    return `[${(node.children ?? []).map((child) => written(child, text)).join(",")}]`;
  if (node.type !== "object") return text.slice(node.offset, node.offset + node.length);
  const members = new Map<string, string>();
  for (const { children: [key, value] = [] } of node.children ?? [])
    if (key && value) members.set(String(key.value), written(value, text));
  // In PHP, consecutive keys from 0 are a list.
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
