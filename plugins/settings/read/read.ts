/** The bytes of a settings file become a tree with places and everything that is wrong with them as a text. */
import { isUtf8 } from "node:buffer";
import json5 from "json5";
import { DEPTH, tooDeep } from "./depth.js";
import type { JsonDialect } from "./dialect.js";
import type { SettingsFinding } from "./finding.js";
import { SYNTAX } from "./token.js";
import { type JsonNode, parseJson } from "./tree.js";

export interface ParsedFile {
  /** Without a byte order mark. */
  readonly text: string;
  /** Also of a broken file, as far as it could be understood. */
  readonly root: JsonNode | undefined;
  readonly findings: readonly SettingsFinding[];
}

/** Bytes of one file: what the real servers read at most. */
export const MAX_BYTES = 16 * 1024 * 1024;

/** With its byte order mark, if it has one; `undefined` where it is not UTF-8. */
export const decodeText = (content: Uint8Array): string | undefined =>
  isUtf8(content)
    ? Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString()
    : undefined;

export function parseFile(content: Uint8Array, dialect: JsonDialect): ParsedFile {
  const whole = decodeText(content);
  if (whole === undefined) return whereUtf8Breaks(content);
  const marked = whole.startsWith("\ufeff");
  const result = parseText(marked ? whole.slice(1) : whole, dialect);
  if (!marked) return result;
  const mark: SettingsFinding = {
    severity: dialect === "json" ? "error" : "warning",
    code: "byte_order_mark",
    message: "the file begins with a byte order mark, which servers refuse",
    span: { start: 0, end: 0 },
    help: "Save it as UTF-8 without one.",
  };
  return { ...result, findings: [mark, ...result.findings] };
}

export function parseText(text: string, dialect: JsonDialect): ParsedFile {
  const deep = tooDeep(text, dialect);
  if (deep !== undefined) {
    const message = `the file is nested deeper than ${DEPTH} levels`;
    const span = { start: deep, end: deep + 1 };
    return {
      text,
      root: undefined,
      findings: [{ severity: "error", code: "depth", message, span }],
    };
  }
  const findings: SettingsFinding[] = [];
  const root = parseJson(text, dialect, (finding) =>
    findings.push({ severity: "error", ...finding }),
  );
  if (findings.length === 0) findings.push(...refused(text, dialect));
  if (root) duplicates(root, (finding) => findings.push(finding));
  return { text, root, findings };
}

/** The last word on what is JSON and JSON5 have the readers that everybody uses. */
function refused(text: string, dialect: JsonDialect): readonly SettingsFinding[] {
  try {
    if (dialect === "json") JSON.parse(text);
    else json5.parse(text);
    return [];
  } catch (thrown) {
    const message = `the file is not valid: ${(thrown as Error).message}`;
    return [{ severity: "error", code: SYNTAX, message, span: { start: 0, end: 0 } }];
  }
}

function duplicates(node: JsonNode, report: (finding: SettingsFinding) => void): void {
  if (node.kind === "array") for (const item of node.items) duplicates(item, report);
  if (node.kind !== "object") return;
  const first = new Map<string, SettingsFinding["span"]>();
  for (const { key, keySpan, value } of node.members) {
    const before = first.get(key);
    if (before) {
      report({
        severity: "error",
        code: "duplicate",
        message: `\`${key}\` is set twice`,
        span: keySpan,
        related: { span: before, message: "first here" },
      });
    } else first.set(key, keySpan);
    if (value.kind !== "scalar") duplicates(value, report);
  }
}

function whereUtf8Breaks(content: Uint8Array): ParsedFile {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  const at = Math.max(0, text.indexOf("\ufffd"));
  return {
    text,
    root: undefined,
    findings: [
      {
        severity: "error",
        code: "encoding",
        message: "the file is not UTF-8",
        span: { start: at, end: at + 1 },
        help: "Save it as UTF-8.",
      },
    ],
  };
}
