/** From text to tree, without ever throwing: what cannot be read is a bad node and a diagnostic. */

import type { Diagnostic, Source } from "./diagnostic.js";
import { withSafeFixes } from "./fix-guard.js";
import { toDiagnostic } from "./mistakes/mistake.js";
import { readFile, tooLarge } from "./reading/read-file.js";
import { SyntaxReader } from "./reading/syntax-reader.js";
import { parse as read } from "./reeve.peggy.js";
import type { ExpressionNode, File } from "./tree.js";

/** Reads one file of the language. */
export function parse(source: Source): {
  readonly tree: File;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { tree, mistakes } = readFile(source.text);
  const safe = withSafeFixes(source.text, mistakes);
  return { tree, diagnostics: safe.map((each) => toDiagnostic(source.path, each)) };
}

/** Reads a text that is one expression: a default in a schema, a `$expr`. */
export function parseExpression(source: Source): {
  readonly expression: ExpressionNode;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { path, text } = source;
  const oversized = tooLarge(text);
  if (oversized) {
    const expression: ExpressionNode = { kind: "bad_expression", start: 0, end: text.length };
    return { expression, diagnostics: [toDiagnostic(path, oversized)] };
  }
  const reader = new SyntaxReader(text, { lines: "ignored", byIndentation: false });
  const expression = read(text, { startRule: "expression", reader });
  const sorted = reader.complaints.toSorted((a, b) => a.start - b.start);
  return { expression, diagnostics: sorted.map((each) => toDiagnostic(path, each)) };
}
