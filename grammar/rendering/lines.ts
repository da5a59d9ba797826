/** Where an offset stands, as people count: lines and columns from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** The line index of one text. A line ends with LF, CRLF or a lone CR, as in the grammar. */
export class LineIndex {
  readonly #text: string;
  /** The offset of each line. */
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
    this.#starts = starts;
  }

  position(offset: number): Position {
    const within = Math.max(0, Math.min(offset, this.#text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: within - (this.#starts[low] ?? 0) + 1, offset: within };
  }

  /** A line without its end. */
  text(line: number): string {
    const start = this.#starts[line - 1] ?? this.#text.length;
    return this.#text.slice(start, this.#starts[line]).replace(/[\r\n]+$/, "");
  }
}

const known = new WeakMap<{ readonly text: string }, LineIndex>();

/** The lines of a source, counted once. */
export function linesOf(source: { readonly text: string }): LineIndex {
  const lines = known.get(source) ?? new LineIndex(source.text);
  known.set(source, lines);
  return lines;
}
