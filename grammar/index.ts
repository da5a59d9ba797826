/**
 * grammar: turns text into a tree and diagnostics. No clock, no file system, no schema here; nothing throws, whatever
 * the text.
 */
export { type CodeEntry, SYNTAX_CODES, type SyntaxCode } from "./codes.js";
export type * from "./diagnostic.js";
export { applyFixes } from "./fixes.js";
export { type Formatted, format } from "./format.js";
export { parse, parseExpression } from "./parse.js";
export { LIMITS } from "./reading/limits.js";
export { type RenderOptions, render, type Sources } from "./render.js";
export { linesOf, type Position } from "./rendering/lines.js";
export { sanitize } from "./rendering/sanitize.js";
export { terminalWidth } from "./rendering/width.js";
export { suggest } from "./suggest.js";
export { type JsonDiagnostic, type JsonRange, toJson } from "./to-json.js";
export { type Token, type TokenKind, tokenize } from "./tokens.js";
export type * from "./tree.js";
