/** The project's own files and their syntax, for the tests about its structure. */
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { type ParseResult, parseSync } from "oxc-parser";
import { output } from "./support/child.js";

/** Every TypeScript file of the repository, tests included. */
export const sourceFiles: readonly string[] = output("git", [
  "ls-files",
  "--cached",
  "--others",
  "--exclude-standard",
  "*.ts",
  "*.tsx",
])
  .trim()
  .split("\n")
  .filter((file) => existsSync(file) && !/\.d\.ts$|\/fixtures\//.test(file))
  .sort();

/** What ships: no tests, no test support, no benchmarks, no examples. */
export const isShipped = (file: string): boolean =>
  !/\.test(-d)?\.tsx?$|(^|\/)(testing|cases)\/|^(tests|bench|examples)\//.test(file);

/** A syntax node as the parser gives it (ESTree). */
export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const syntaxOf = (file: string): SyntaxNode => parsed(file).program as unknown as SyntaxNode;

/** @throws Error when a file does not parse, so that nothing passes unread */
function parsed(file: string): ParseResult {
  const known = results.get(file);
  if (known) return known;
  const result = parseSync(file, readFileSync(file, "utf8"));
  if (result.errors.length > 0) throw new Error(`${file}: ${result.errors[0]?.message}`);
  results.set(file, result);
  return result;
}
const results = new Map<string, ParseResult>();

/** Calls `visit` for a node and everything below it. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) walk(child, visit);
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** Relative modules that a file imports or re-exports: static, dynamic and type-only. */
export function relativeImports(file: string): readonly string[] {
  const found: string[] = [];
  walk(syntaxOf(file), ({ type, source }) => {
    const specifier = importing.has(type)
      ? (source as { value?: unknown } | null)?.value
      : undefined;
    if (typeof specifier === "string" && specifier.startsWith("."))
      found.push(posix.join(posix.dirname(file), specifier));
  });
  return found;
}

const importing = new Set([
  "ImportDeclaration",
  "ImportExpression",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "TSImportType",
]);

/** A comment or a piece of text in a file. */
export interface Prose {
  readonly text: string;
  /** Where it starts, in UTF-16 code units. */
  readonly offset: number;
}

/** Comments, string literals, template texts and JSX texts. */
export function proseOf(file: string): readonly Prose[] {
  const { comments, program } = parsed(file);
  const found: Prose[] = comments.map(({ value, start }) => ({ text: value, offset: start }));
  walk(program as unknown as SyntaxNode, ({ type, value, start }) => {
    const text = type === "TemplateElement" ? (value as { cooked: string | null }).cooked : value;
    if (/^(Literal|TemplateElement|JSXText)$/.test(type) && typeof text === "string")
      found.push({ text, offset: start as number });
  });
  return found;
}
