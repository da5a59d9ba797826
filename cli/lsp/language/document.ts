/** A text with its tree, its tokens and its positions, each made once. */
import type { Position, Range } from "vscode-languageserver-protocol";
import { type Diagnostic, parse, type Token, tokenize } from "../../../grammar/index.js";
import type { File, Span } from "../../../grammar/tree.js";
import { bodyAt, writtenKind } from "./syntax.js";

/** The unit of `character` in a position (LSP 3.17, `PositionEncodingKind`). */
export type PositionEncoding = "utf-8" | "utf-16";

/** Without a range it replaces the whole text. */
export interface ContentChange {
  readonly range?: Range;
  readonly text: string;
}

export class TextDocument {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly #encoding: PositionEncoding;
  #starts: readonly number[] | undefined;
  #syntax: { readonly tree: File; readonly diagnostics: readonly Diagnostic[] } | undefined;
  #tokens: readonly Token[] | undefined;

  constructor(path: string, text: string, encoding: PositionEncoding) {
    this.path = path;
    this.text = text;
    this.#encoding = encoding;
  }

  /** The text is in JSON form; the features that read the language's own syntax have nothing to say about it. */
  get isJson(): boolean {
    return this.path.endsWith(".json");
  }

  get tree(): File {
    return this.#parsed.tree;
  }

  get syntaxDiagnostics(): readonly Diagnostic[] {
    return this.#parsed.diagnostics;
  }

  get #parsed() {
    this.#syntax ??= parse({ path: this.path, text: this.isJson ? "" : this.text });
    return this.#syntax;
  }

  get tokens(): readonly Token[] {
    this.#tokens ??= this.isJson ? [] : tokenize({ path: this.path, text: this.text });
    return this.#tokens;
  }

  /** The tokens of a part of the text, with their offsets in the whole. */
  part({ start, end }: Span): readonly Token[] {
    const tokens = tokenize({ path: this.path, text: this.text.slice(start, end) });
    return tokens.map((token) => ({
      ...token,
      start: token.start + start,
      end: token.end + start,
    }));
  }

  /** The names of attributes and blocks that stand in the body whose `{` is at `start`, or in the file. */
  namesIn(start: number): ReadonlySet<string> {
    const body = start === 0 ? this.tree : bodyAt(this.tree, start);
    const names = new Set<string>();
    for (const item of body?.items ?? [])
      if (item.kind === "attribute") names.add(item.name.text);
      else if (item.kind === "block") names.add(writtenKind(item));
    return names;
  }

  changed(changes: readonly ContentChange[]): TextDocument {
    let at: TextDocument = this;
    for (const { range, text } of changes) {
      const [start, end] = range
        ? [at.offsetAt(range.start), at.offsetAt(range.end)]
        : [0, at.text.length];
      const whole = at.text.slice(0, start) + text + at.text.slice(Math.max(start, end));
      at = new TextDocument(this.path, whole, this.#encoding);
    }
    return at;
  }

  /** A position behind the end of a line is the end of that line. */
  offsetAt({ line, character }: Position): number {
    const starts = this.#lineStarts;
    const start = starts[Math.max(0, line)];
    if (start === undefined) return this.text.length;
    const end = this.#lineEnd(line);
    if (this.#encoding === "utf-16") return Math.min(start + Math.max(0, character), end);
    let bytes = 0;
    let at = start;
    while (at < end && bytes < character) {
      const code = this.text.codePointAt(at) as number;
      bytes += utf8Length(code);
      at += code > 0xffff ? 2 : 1;
    }
    return at;
  }

  positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.text.length));
    const starts = this.#lineStarts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] as number;
    if (this.#encoding === "utf-16") return { line: low, character: at - start };
    return { line: low, character: Buffer.byteLength(this.text.slice(start, at)) };
  }

  rangeOf({ start, end }: Span): Range {
    return { start: this.positionAt(start), end: this.positionAt(end) };
  }

  get end(): Position {
    return this.positionAt(this.text.length);
  }

  get #lineStarts(): readonly number[] {
    if (!this.#starts) {
      const starts = [0];
      for (const { index, 0: end } of this.text.matchAll(/\r\n?|\n/g))
        starts.push(index + end.length);
      this.#starts = starts;
    }
    return this.#starts;
  }

  /** The offset of the line's end, its line break left out. */
  #lineEnd(line: number): number {
    const next = this.#lineStarts[line + 1];
    if (next === undefined) return this.text.length;
    return this.text[next - 1] === "\n" && this.text[next - 2] === "\r" ? next - 2 : next - 1;
  }
}

const utf8Length = (code: number): number =>
  code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
