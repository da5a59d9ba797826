/** The class of each token, from the tree: what a regular expression cannot tell. */
import type { Range, SemanticTokens } from "vscode-languageserver-protocol";
import { RESERVED } from "../../../grammar/reading/lexemes.js";
import type { Span } from "../../../grammar/tree.js";
import type { TextDocument } from "../language/document.js";
import { childrenOf, kindOf, type TreeNode } from "../language/syntax.js";
import type { Project } from "../project.js";

export const tokenTypes = [
  "comment",
  "keyword",
  "string",
  "number",
  "regexp",
  "operator",
  "class",
  "property",
  "variable",
  "function",
  "namespace",
] as const;
export const tokenModifiers = ["declaration", "documentation", "readonly"] as const;

type TokenType = (typeof tokenTypes)[number];
type TokenModifier = (typeof tokenModifiers)[number];

interface TypedSpan extends Span {
  readonly type: TokenType;
  readonly modifier?: TokenModifier;
}

export function semanticTokens(
  project: Project,
  document: TextDocument,
  range?: Range,
): SemanticTokens {
  const names = namesOf(project, document);
  const from = range ? document.offsetAt(range.start) : 0;
  const to = range ? document.offsetAt(range.end) : document.text.length;
  const found = document.tokens
    .flatMap((token) => typed(token, document, names))
    .filter(({ start, end }) => end > from && start < to)
    .flatMap((token) => lines(token, document));
  return { data: encoded(found, document) };
}

function typed(
  token: TextDocument["tokens"][number],
  { text }: TextDocument,
  names: ReadonlyMap<number, TypedSpan>,
): readonly TypedSpan[] {
  const { start, end, kind, interpolations = [] } = token;
  const known = names.get(start);
  switch (kind) {
    case "comment":
      return [{ start, end, type: "comment" }];
    case "doc":
      return [{ start, end, type: "comment", modifier: "documentation" }];
    case "number":
      return [{ start, end, type: "number" }];
    case "regex":
      return [{ start, end, type: "regexp" }];
    case "string":
      return stringParts(token, interpolations, names);
    case "name": {
      if (known) return [known];
      return RESERVED.has(text.slice(start, end)) ? [{ start, end, type: "keyword" }] : [];
    }
    case "punctuation":
      return /^([-+*/%<>=!?:]|\?\?|\|\||&&|[=!<>]=|=~|\/-)$/.test(text.slice(start, end))
        ? [{ start, end, type: "operator" }]
        : [];
    default:
      return [];
  }
}

/** The text around interpolations is string; names inside them have their own classes. */
function stringParts(
  { start, end }: Span,
  interpolations: readonly Span[],
  names: ReadonlyMap<number, TypedSpan>,
): readonly TypedSpan[] {
  const parts: TypedSpan[] = [];
  let at = start;
  for (const interpolation of interpolations) {
    parts.push({ start: at, end: interpolation.start, type: "string" });
    const inside = [...names.values()].filter(
      (each) => each.start >= interpolation.start && each.end <= interpolation.end,
    );
    parts.push(...inside);
    at = interpolation.end;
  }
  return [...parts, { start: at, end, type: "string" as const }].filter(
    (each) => each.end > each.start,
  );
}

/** What names mean, by their offset. */
function namesOf(project: Project, document: TextDocument): ReadonlyMap<number, TypedSpan> {
  const found = new Map<number, TypedSpan>();
  const set = ({ start, end }: Span, type: TokenType, modifier?: TokenModifier): void => {
    found.set(start, { start, end, type, ...(modifier ? { modifier } : {}) });
  };
  const visit = (node: TreeNode): void => {
    switch (kindOf(node)) {
      case "block":
        for (const name of (node as Extract<TreeNode, { kind: "block" }>).type) set(name, "class");
        break;
      case "attribute":
        set((node as Extract<TreeNode, { kind: "attribute" }>).name, "property");
        break;
      case "entry": {
        const { key } = node as Extract<TreeNode, { kind: "entry" }>;
        if (key.kind === "name") set(key, "property");
        break;
      }
      case "member":
        set((node as Extract<TreeNode, { kind: "member" }>).name, "property");
        break;
      case "param": {
        const { start } = node;
        if (document.text.startsWith("param", start)) set({ start, end: start + 5 }, "keyword");
        const { type } = node as Extract<TreeNode, { kind: "param" }>;
        if (type) set(type, "class");
        break;
      }
      case "argument": {
        const { name } = node as Extract<TreeNode, { kind: "argument" }>;
        if (name) set(name, "property");
        break;
      }
      case "call": {
        const { callee } = node as Extract<TreeNode, { kind: "call" }>;
        if (callee.kind === "name") set(callee, "function");
        break;
      }
      case "null":
      case "boolean":
        set(node, "keyword");
        break;
      case "name":
        if (!found.has(node.start))
          set(node, RESERVED.has(textOf(document, node)) ? "keyword" : "variable");
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(document.tree);
  const types = {
    let: "variable",
    variable: "variable",
    alias: "namespace",
    mixin: "class",
    block: "variable",
  } as const;
  for (const { span, kind, isDefinition } of project.symbols(document.path)?.uses ?? [])
    if (kind !== "block" && kind !== "mixin")
      set(span, types[kind], isDefinition ? "declaration" : "readonly");
  // `mixin.name` and `hook.deploy` are read as members; the definition of a mixin is a string.
  return found;
}

const textOf = ({ text }: TextDocument, { start, end }: Span): string => text.slice(start, end);

/** A token over several lines is one token per line: few editors read longer ones. */
function lines(token: TypedSpan, { text }: TextDocument): readonly TypedSpan[] {
  const written = text.slice(token.start, token.end);
  if (!/[\r\n]/.test(written)) return [token];
  const parts: TypedSpan[] = [];
  for (const { index, 0: line } of written.matchAll(/[^\r\n]+/g))
    parts.push({ ...token, start: token.start + index, end: token.start + index + line.length });
  return parts;
}

/** Five numbers a token, relative to the token before it (LSP 3.17, "Semantic Tokens"). */
function encoded(tokens: readonly TypedSpan[], document: TextDocument): number[] {
  const data: number[] = [];
  let line = 0;
  let character = 0;
  for (const { start, end, type, modifier } of tokens.toSorted((a, b) => a.start - b.start)) {
    const from = document.positionAt(start);
    const length = document.positionAt(end).character - from.character;
    const sameLine = from.line === line;
    data.push(from.line - line, sameLine ? from.character - character : from.character, length);
    data.push(tokenTypes.indexOf(type), modifier ? 1 << tokenModifiers.indexOf(modifier) : 0);
    line = from.line;
    character = from.character;
  }
  return data;
}
