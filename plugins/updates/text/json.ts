/** JSON with source ranges, so that a string can be replaced in place. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { UpdatesError } from "../errors.js";
import { decodeText, type TextRange, withoutMark } from "./text.js";

/** JSON of a registry's response. @throws SyntaxError */
export const decodeJsonBody = (body: Uint8Array): unknown => JSON.parse(decodeText(body));

interface JsonText {
  readonly value: string;
  /** Between the quotes. */
  readonly range: TextRange;
}

export interface JsonDocument {
  /** The value at `path`; undefined where there is none. */
  value(...path: readonly string[]): unknown;
  /** The string members of the object at `path`, in order. */
  texts(...path: readonly string[]): readonly (JsonText & { readonly key: string })[];
  /** The keys of the object at `path`, in order, and where they are. */
  keyTexts(...path: readonly string[]): readonly JsonText[];
  /** The keys of the object at `path`. */
  keys(...path: readonly string[]): readonly string[];
}

/** `comments` for managers that accept them, and commas before brackets. @throws UpdatesError `manifest_unreadable` */
export function readJson(file: string, whole: string, { comments = false } = {}): JsonDocument {
  const { text, skipped } = withoutMark(whole);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    ...{ disallowComments: !comments, allowTrailingComma: comments },
  });
  const [error] = errors;
  if (!root || error) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    const what = error ? printParseErrorCode(error.error) : "nothing in it";
    throw new UpdatesError("manifest_unreadable", `${file}:${line} is not JSON: ${what}.`);
  }

  const member = (node: Node | undefined, key: string): Node | undefined =>
    // Of two members with one name the last counts, as in every JSON parser.
    node?.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
  const at = (path: readonly string[]): Node | undefined =>
    path.reduce<Node | undefined>(
      (node, key) => (node?.type === "object" ? member(node, key) : undefined),
      root,
    );
  const members = (path: readonly string[]): readonly Node[] => {
    const node = at(path);
    return node?.type === "object" ? (node.children ?? []) : [];
  };

  const insideQuotes = ({ offset, length }: Node): TextRange => ({
    start: offset + 1 + skipped,
    end: offset + length - 1 + skipped,
  });

  return {
    value: (...path) => plain(at(path)),
    keyTexts: (...path) =>
      members(path).flatMap(({ children: [key] = [] }) =>
        key ? [{ value: String(key.value), range: insideQuotes(key) }] : [],
      ),
    keys: (...path) => members(path).map(({ children }) => String(children?.[0]?.value)),
    texts: (...path) => {
      const last = new Map<string, JsonText>();
      for (const { children: [key, node] = [] } of members(path)) {
        if (!key || node?.type !== "string") continue;
        last.set(String(key.value), { value: String(node.value), range: insideQuotes(node) });
      }
      return [...last].map(([key, text]) => ({ key, ...text }));
    },
  };
}

function plain(node: Node | undefined): unknown {
  if (node?.type === "object")
    return Object.fromEntries(
      (node.children ?? []).map(({ children }) => [
        String(children?.[0]?.value),
        plain(children?.[1]),
      ]),
    );
  if (node?.type === "array") return (node.children ?? []).map(plain);
  return node?.value;
}

/** A string as JSON writes it, without its quotes. */
export const jsonEscaped = (value: string): string => JSON.stringify(value).slice(1, -1);
