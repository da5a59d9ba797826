/** Reads a hooks file: its hooks, or issues with positions. Pure. */
import type { FileHook, MatchOptions } from "../hook.js";
import { decodeHooks, Wrong } from "./decode.js";
import { inspectHooks } from "./inspect.js";
import { readJson5 } from "./json5.js";
import { type HooksFileIssue, type HooksFileNode, type TreeReading } from "./tree.js";
import { unknownKeys } from "./unknown-keys.js";
import { readYaml } from "./yaml.js";

export type FileReading =
  | { readonly ok: true; readonly hooks: readonly FileHook[] }
  | { readonly ok: false; readonly complaints: readonly [HooksFileIssue, ...HooksFileIssue[]] };

/** `strict`: mistakes that the existing server finds later, or never, fail the file too. */
export function readHooks(text: string, { strict }: MatchOptions): FileReading {
  const reading = treeOf(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  if (!reading.ok) return { ok: false, complaints: [reading.complaint] };
  const decoded = decode(reading.tree);
  if (!decoded.ok || !strict) return decoded;
  // An unknown key is usually why another one is missing.
  const [first, ...rest] = [...unknownKeys(reading.tree), ...inspectHooks(decoded.hooks)];
  return first ? { ok: false, complaints: [first, ...rest] } : decoded;
}

const BYTE_ORDER_MARK = 0xfeff;

function decode(tree: HooksFileNode | undefined): FileReading {
  try {
    return { ok: true, hooks: decodeHooks(tree) };
  } catch (thrown) {
    if (!(thrown instanceof Wrong)) throw thrown;
    return { ok: false, complaints: [thrown.complaint] };
  }
}

/**
 * Hooks files are YAML, which includes JSON but not JSON5. A text that
 * starts like JSON is read as JSON5 first. If neither fits, the issue is about the format it resembles.
 */
function treeOf(text: string): TreeReading {
  if (!/^\s*(?:[[{]|\/[/*])/.test(text)) return readYaml(text);
  const json = readJson5(text);
  if (json.ok) return json;
  const yaml = readYaml(text);
  return yaml.ok && !hasComments(text) ? yaml : json;
}

/** A line that starts with `//` is a comment, even in YAML. */
const hasComments = (text: string): boolean => /^\s*\/\//m.test(text);

/** `hooks.json:3:7: …` */
export function complaintLine(path: string, { position, message, help }: HooksFileIssue): string {
  const said = `${path}:${position.line}:${position.column}: ${message}`;
  return help === undefined ? said : `${said}; ${help}`;
}
