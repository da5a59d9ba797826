/** From text to tree, without ever throwing: what cannot be read is a bad node and a diagnostic. */

import type { Diagnostic, Source } from "./diagnostic.js";
import { createMistake, type Mistake, toDiagnostic } from "./mistakes/mistake.js";
import { LIMITS } from "./reading/limits.js";
import { SyntaxReader } from "./reading/syntax-reader.js";
import { parse as read } from "./reeve.peggy.js";
import type { ExpressionNode, File } from "./tree.js";

/** A text with more mistakes than this is not worth a second look. */
const HOPELESS = 1000;

/** Reads one file of the language. */
export function parse(source: Source): {
  readonly tree: File;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { text } = source;
  if (isTooLarge(text)) {
    const tree: File = { kind: "file", start: 0, end: text.length, items: [] };
    return { tree, diagnostics: toDiagnostics(source, [tooLarge()]) };
  }
  const first = readFile(text, false);
  if (first.unclosedBodies === 0 || first.complaints.length > HOPELESS) {
    return { tree: first.tree, diagnostics: toDiagnostics(source, first.complaints) };
  }
  // Where a `}` is missing, everything behind it is in the wrong place. The indentation usually shows where it belongs.
  const second = readFile(text, true);
  const better = second.complaints.length <= first.complaints.length ? second : first;
  return { tree: better.tree, diagnostics: toDiagnostics(source, better.complaints) };
}

/** Reads a text that is one expression: a default in a schema, a `$expr`. */
export function parseExpression(source: Source): {
  readonly expression: ExpressionNode;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { text } = source;
  if (isTooLarge(text)) {
    const expression: ExpressionNode = { kind: "bad_expression", start: 0, end: text.length };
    return { expression, diagnostics: toDiagnostics(source, [tooLarge()]) };
  }
  const reader = new SyntaxReader(text, { lines: "ignored", byIndentation: false });
  const expression = read(text, { startRule: "expression", reader });
  return { expression, diagnostics: toDiagnostics(source, reader.complaints) };
}

function readFile(text: string, byIndentation: boolean) {
  const reader = new SyntaxReader(text, { lines: "separate", byIndentation });
  const tree = read(text, { startRule: "file", reader });
  return { tree, complaints: reader.complaints, unclosedBodies: reader.brackets.unclosedBodies };
}

/** A UTF-16 code unit takes at most three bytes of UTF-8, so most texts need not be measured. */
function isTooLarge(text: string): boolean {
  if (text.length > LIMITS.bytes) return true;
  return text.length * 3 > LIMITS.bytes && Buffer.byteLength(text) > LIMITS.bytes;
}

function tooLarge(): Mistake {
  return createMistake("E040", 0, 0, `a file is at most ${LIMITS.bytes / 1024 / 1024} MiB long`, {
    help: 'split it up and bring the parts in with import "./parts/*.reeve"',
  });
}

function toDiagnostics(source: Source, complaints: readonly Mistake[]): readonly Diagnostic[] {
  return [...complaints]
    .sort((a, b) => a.start - b.start)
    .map((each) => toDiagnostic(source.path, each));
}
