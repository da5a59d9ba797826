/** From text to tree, without ever throwing: what cannot be read is a bad node and a diagnostic. */

import type { Diagnostic, Source } from "./diagnostic.js";
import { safeFixes } from "./fix-guard.js";
import { toDiagnostic } from "./mistakes/mistake.js";
import { atOnce, type InParts, readInParts, tooLarge } from "./reading/read-file.js";
import { SyntaxReader } from "./reading/syntax-reader.js";
import { parse as read } from "./reeve.peggy.js";
import type { ExpressionNode, File } from "./tree.js";

export interface Parsed {
  readonly tree: File;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one file of the language. */
export const parse = (source: Source): Parsed => atOnce(parseInParts(source));

/** The same in parts of about a millisecond. */
export function* parseInParts(source: Source): InParts<Parsed> {
  const { tree, mistakes } = yield* readInParts(source.text);
  const safe = yield* safeFixes(source.text, mistakes);
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
