/** Reads JSON, JSON with comments and JSON5, with the line of each value. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { UpdatesError } from "../../errors.js";

export type RenovateObject = Readonly<Record<string, unknown>>;

export interface RenovateFile {
  readonly value: RenovateObject;
  /** From 1. Of the key at `path`, or of the nearest one above it. */
  lineOf(path: readonly (string | number)[]): number;
}

/** @throws UpdatesError `manifest_unreadable` */
export function readRenovate(file: string, whole: string): RenovateFile {
  const text = asJson(whole.replace(/^\uFEFF/, ""));
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const [error] = errors;
  if (!root || error) {
    const what = error ? printParseErrorCode(error.error) : "nothing in it";
    throw unreadable(`${file}:${lineAt(error?.offset ?? 0)} is not JSON: ${what}.`);
  }
  const value = plain(root);
  if (!isObject(value)) throw unreadable(`${file} must be an object with options of Renovate.`);
  // `package.json` has the configuration under a key.
  const isPackage = /(^|\/)package\.json$/.test(file);
  const inside = isPackage ? value.renovate : value;
  if (!isObject(inside)) throw unreadable(`${file} has no key \`renovate\` with options.`);
  const above = isPackage ? ["renovate"] : [];
  return {
    value: inside,
    lineOf: (path) => {
      let [node, at]: [Node | undefined, number] = [root, root.offset];
      for (const step of [...above, ...path]) {
        const next: Node | undefined =
          typeof step === "number"
            ? node?.children?.[step]
            : node?.children?.findLast(({ children }) => children?.[0]?.value === step);
        if (!next) break;
        at = next.offset;
        node = typeof step === "number" ? next : next.children?.[1];
      }
      return lineAt(at);
    },
  };
}

const unreadable = (message: string): UpdatesError =>
  new UpdatesError("manifest_unreadable", message);

export const isObject = (value: unknown): value is RenovateObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text or a number as text; empty for other values. */
export const textIn = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Keys such as `__proto__` are members like others. */
function plain(node: Node | undefined): unknown {
  if (node?.type === "array") return (node.children ?? []).map(plain);
  if (node?.type !== "object") return node?.value;
  const members = (node.children ?? []).map(
    ({ children }) => [String(children?.[0]?.value), plain(children?.[1])] as const,
  );
  return Object.fromEntries(members);
}

const TOKENS =
  /("(?:\\[\s\S]|[^"\\\n])*")|'((?:\\[\s\S]|[^'\\\n])*)'|(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|([A-Za-z_$][\w$-]*)(?=\s*:)|([+-]?0x[\da-f]+|[+-]?(?:Infinity|NaN)\b|\+[\d.]+|(?<![\w.])-?\.\d+|\d+\.(?!\d))/gi;

/** JSON5 as JSON with the same lines. */
const asJson = (text: string): string =>
  text.replace(TOKENS, (whole, double, single, comment, key, number) => {
    if (double !== undefined) return doubled(double.slice(1, -1));
    if (single !== undefined) return doubled(single);
    if (comment !== undefined) return comment.replace(/[^\n]/g, " ");
    if (key !== undefined) return JSON.stringify(key);
    if (number === undefined) return whole;
    const value = Number(number.replace(/^[+-]/, "")) * (number.startsWith("-") ? -1 : 1);
    return Number.isFinite(value) ? String(value) : "null";
  });

/** Escapes that JSON does not have are replaced; joined lines keep their count. */
function doubled(inner: string): string {
  let joined = "";
  const text = inner.replace(/\\(\r?\n|x[\da-f]{2}|[\s\S])|"/gi, (whole, escaped = "") => {
    if (whole === '"') return '\\"';
    if (/\n$/.test(escaped)) {
      joined += "\n";
      return "";
    }
    if (/^x[\da-f]{2}$/i.test(escaped)) return `\\u00${escaped.slice(1)}`;
    return /^["\\/bfnrtu]$/.test(escaped) ? whole : escaped === "'" ? "'" : escaped;
  });
  return `"${text}"${joined}`;
}
