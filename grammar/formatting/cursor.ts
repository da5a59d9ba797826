/**
 * The tokens of a text in order, each taken once, with the comments that stand between them.
 * Commas and semicolons are not among them: where they stand follows from the layout.
 */
import type { Token } from "../tokens.js";
import { comment, type Doc, hard } from "./doc.js";

export interface Comment {
  readonly text: string;
  /** There is an empty line before it. */
  readonly isApart: boolean;
}

/** A token that means something, and what stands between it and the one before. */
interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A comment on the line of the token before. */
  trailing: string | undefined;
  /** Comments on lines of their own. */
  leading: readonly Comment[];
  /** It begins on another line than the token before, and maybe with an empty line directly before it. */
  readonly isBelow: boolean;
  readonly isApart: boolean;
}

/** Where a pair of brackets ends, and where the token before its end does. */
interface Pair {
  readonly end: number;
  readonly innerEnd: number;
}

const CLOSERS = new Set([")", "]", "}"]);

export class Cursor {
  readonly #pieces: readonly Piece[];
  /** Brackets by where they open. */
  readonly #pairs: ReadonlyMap<number, Pair>;
  #next = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#pieces = gather(text, tokens);
    this.#pairs = pair(this.#pieces);
  }

  /** The next token, with comments that stand before it in an unusual place. */
  take(): Doc {
    const strays = this.strays();
    const { text } = this.#piece;
    this.#next++;
    return strays === undefined ? text : [strays, text];
  }

  /** The comments before the next token, each with the end of its line. */
  strays(): Doc | undefined {
    const behind = this.behind();
    const above = this.above();
    if (behind === undefined && above.length === 0) return undefined;
    return [behind ?? "", hard, ...above.flatMap(({ text }) => [text, hard])];
  }

  /** The comment behind the token that was taken last, on its line. */
  behind(): Doc | undefined {
    const piece = this.#piece;
    const { trailing } = piece;
    piece.trailing = undefined;
    return trailing === undefined ? undefined : comment(trailing);
  }

  /** The comments above the next token, on lines of their own. */
  above(): readonly Comment[] {
    const piece = this.#piece;
    const { leading } = piece;
    piece.leading = [];
    return leading;
  }

  /** Whether the next token is on another line than the one before. */
  get isBelow(): boolean {
    return this.#piece.isBelow;
  }

  /** Whether there is an empty line directly before the next token. */
  get isApart(): boolean {
    return this.#piece.isApart;
  }

  /** Whether any comment stands directly before the next token. */
  get hasComment(): boolean {
    return this.#piece.trailing !== undefined || this.#piece.leading.length > 0;
  }

  /** Whether the next token is this text. */
  isAt(text: string): boolean {
    return this.#piece.text === text;
  }

  /** If the next token is a `(` that closes at `end`: where the token before that `)` ends. */
  enclosedEnd(end: number): number | undefined {
    const pair = this.#pairs.get(this.#piece.start);
    return this.isAt("(") && pair?.end === end ? pair.innerEnd : undefined;
  }

  get #piece(): Piece {
    const piece = this.#pieces[this.#next];
    if (piece === undefined) throw new RangeError("the layout takes more tokens than there are");
    return piece;
  }
}

/** Tokens that mean something; behind the last of them an empty one for the end of the text. */
function gather(text: string, tokens: readonly Token[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let trailing: string | undefined;
  let leading: Comment[] = [];
  /** Line ends since the last token or comment, and since the last token of the result. */
  let lines = 0;
  let isBelow = false;
  const push = (start: number, end: number) => {
    const isApart = lines > 1;
    pieces.push({ text: text.slice(start, end), start, end, trailing, leading, isBelow, isApart });
    trailing = undefined;
    leading = [];
    isBelow = false;
    lines = 0;
  };
  for (const { kind, start, end } of tokens) {
    const character = text.charAt(start);
    if (kind === "newline") {
      lines++;
      isBelow = true;
    } else if (kind === "comment" || kind === "doc") {
      const written = text.slice(start, end).trimEnd();
      const isFirst = trailing === undefined && leading.length === 0;
      if (lines === 0 && isFirst && pieces.length > 0) trailing = written;
      else leading.push({ text: written, isApart: lines > 1 });
      lines = 0;
    } else if (kind !== "punctuation" || (character !== "," && character !== ";")) {
      push(start, end);
    } else {
      lines = 0;
    }
  }
  push(text.length, text.length);
  return pieces;
}

function pair(pieces: readonly Piece[]): ReadonlyMap<number, Pair> {
  const pairs = new Map<number, Pair>();
  const open: number[] = [];
  for (const [index, { text, start, end }] of pieces.entries()) {
    if (text === "(" || text === "[" || text === "{") open.push(start);
    else if (CLOSERS.has(text)) {
      pairs.set(open.pop() ?? -1, { end, innerEnd: pieces[index - 1]?.end ?? end });
    }
  }
  return pairs;
}
