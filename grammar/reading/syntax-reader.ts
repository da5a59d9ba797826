/**
 * What the grammar asks while it reads one text: where blanks end, how deep it is, whether something ends here, and where
 * to go on after a mistake. The grammar holds the position; every method is given one. A negative result means "no".
 */

import { Brackets } from "../mistakes/brackets.js";
import { headerContinues } from "../mistakes/continuation.js";
import { type CommaContext, expectedComma, expectedEnd } from "../mistakes/expected.js";
import { endsLine } from "../mistakes/here.js";
import {
  createMistake,
  type Mistake,
  type RecoveryPoint,
  type ReportMistake,
} from "../mistakes/mistake.js";
import { MistakeList } from "../mistakes/mistake-list.js";
import { Mistakes } from "../mistakes/mistakes.js";
import { Skipper } from "../mistakes/skip.js";
import { type CallArgument, type ExpressionNode, type Span } from "../tree.js";
import {
  docText,
  indentation,
  isFirstOnLine,
  isLineEnd,
  looksLikeItem,
  match,
  skipBetween,
  skipBlanks,
  skipTrivia,
} from "./lexemes.js";
import { LIMITS } from "./limits.js";
import { exceedsHeight, type LineEndRule, Nesting } from "./nesting.js";

export interface ReaderOptions {
  /** The meaning of a line end. */
  readonly lines: LineEndRule;
  /** A body without `}` ends where an item is indented no more than the body's header. */
  readonly byIndentation: boolean;
}

export class SyntaxReader {
  /** The doc comment of the item that begins here, if any. */
  doc: string | undefined;
  /** Creates diagnostics and the offset at which parsing resumes. */
  readonly mistakes: Mistakes;
  readonly brackets: Brackets;
  readonly report: ReportMistake;

  readonly #text: string;
  readonly #byIndentation: boolean;
  readonly #complaints: MistakeList;
  readonly #nesting: Nesting;
  readonly #skipper: Skipper;
  /** The longest chain of operators in the statement: with the nesting it bounds the height of its trees. */
  #longestChain = 0;
  /** Where the row that was read last ended for want of a comma. */
  #rowEnd = -1;
  /** What followed the value that was read last makes it worthless. */
  #spoilt = false;

  constructor(text: string, { lines, byIndentation }: ReaderOptions) {
    this.#text = text;
    this.#byIndentation = byIndentation;
    this.#complaints = new MistakeList(text);
    this.#nesting = new Nesting(lines);
    this.#skipper = new Skipper(text);
    this.report = (found) => this.#complaints.add(found);
    const shared = [text, this.#complaints, this.#nesting, this.#skipper] as const;
    this.brackets = new Brackets(...shared);
    this.mistakes = new Mistakes(...shared, this.brackets);
  }

  /** What was said, each with its place, in the order of reading. */
  get complaints(): readonly Mistake[] {
    return this.#complaints.all;
  }

  // ---------------------------------------------------------------- blanks

  /** Skips what means nothing here. */
  blanks(at: number): number {
    const code = this.#text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 9 && code !== 13 && code !== 35) return at;
    return this.#nesting.lines === "ignored"
      ? skipTrivia(this.#text, at)
      : skipBlanks(this.#text, at);
  }

  /** Skips to an operator if one follows, be it at the beginning of a later line. */
  gap(pattern: RegExp, at: number): number {
    const text = this.#text;
    let next = skipBlanks(text, at);
    const code = text.charCodeAt(next);
    if ((code === 10 || code === 13 || code === 35) && this.#nesting.lines !== "final") {
      next = skipTrivia(text, next);
    }
    return match(pattern, text, next) < 0 ? -1 : next;
  }

  /** Skips what stands between items and keeps the doc comment it meets last. */
  between(at: number): number {
    const { end, docStart } = skipBetween(this.#text, at);
    this.doc = docStart < 0 ? undefined : docText(this.#text, docStart, end);
    return end;
  }

  /** Skips what stands between the entries of an object: lines and comments. */
  entryGap(at: number): number {
    return this.#nesting.lines === "final"
      ? skipBlanks(this.#text, at)
      : skipTrivia(this.#text, at);
  }

  // ---------------------------------------------------------------- nesting

  /** Enters a bracket, unless that would be too deep. `lines`: what a line's end means inside. */
  open(at: number, lines: LineEndRule): boolean {
    return this.#nesting.open(at, lines);
  }

  /** Enters something nested that has no bracket: the middle of `a ? b : c`. */
  openSame(at: number): boolean {
    return this.#nesting.open(at, this.#nesting.lines);
  }

  close(): true {
    this.#nesting.close();
    return true;
  }

  /** How many brackets, bodies, holes and conditionals are open. */
  get depth(): number {
    return this.#nesting.depth;
  }

  isFull(): boolean {
    return this.#nesting.isFull;
  }

  /** Block strings have many lines, so none stands in a `${…}`. After one without an end no other is begun. */
  mayOpenBlock(): boolean {
    return this.#nesting.lines !== "final" && !this.brackets.blocksStayOpen;
  }

  // ---------------------------------------------------------------- statements

  /** A statement begins. */
  begin(at: number): true {
    this.#complaints.begin(at);
    this.#longestChain = 0;
    this.#nesting.deepest = this.#nesting.depth;
    return true;
  }

  /** Remembers that operators were chained: `count` of them in a row. */
  chained(count: number): void {
    if (count > this.#longestChain) this.#longestChain = count;
  }

  /** The whole expression of a statement, or nothing in its place when trees as high as this are not allowed. */
  bounded(expression: ExpressionNode): ExpressionNode {
    const depth = this.#nesting.deepest - this.#nesting.depth;
    const bound = (this.#longestChain + 2) * (depth + 1);
    if (bound <= LIMITS.height || !exceedsHeight(expression, LIMITS.height)) return expression;
    const { start, end } = expression;
    this.report(
      createMistake("E042", start, end, `an expression is at most ${LIMITS.height} levels high`, {
        help: "put parts of it into `let` values, or use a list: `x in [a, b, c]`",
      }),
    );
    return { kind: "bad_expression", start, end };
  }

  /** Whether what begins here stands too far left to be in the innermost bracket. Only when reading by indentation. */
  isOutdented(at: number): boolean {
    const opening = this.#nesting.innermost;
    if (!this.#byIndentation || opening < 0 || !isFirstOnLine(this.#text, at)) return false;
    if (this.#text.charAt(at) !== "}") return this.#isNotDeeper(at);
    return indentation(this.#text, at) < this.#nesting.indent(this.#text);
  }

  // ---------------------------------------------------------------- ends

  /** Goes to the end of a statement whose last part is a value. What stands between is complained about. */
  endStatement(value: Span, at: number): number {
    this.#spoilt = false;
    if (endsLine(this.#text, skipBlanks(this.#text, at))) return at;
    return this.#recover(expectedEnd(this.#text, value.start, at), (resume) =>
      this.#skipper.statement(resume),
    );
  }

  /** The same for a statement that ends with a body or a name. */
  endLine(at: number): number {
    if (endsLine(this.#text, skipBlanks(this.#text, at))) return at;
    return this.endStatement({ start: at, end: at }, at);
  }

  /** Goes from a header's expression to the body. */
  endSubject(value: Span, at: number): number {
    this.#spoilt = false;
    const location = this.blanks(at);
    if (this.#text.charAt(location) === "{" || endsLine(this.#text, location)) return location;
    const recovery = headerContinues({ text: this.#text, start: value.start, at, location });
    return recovery
      ? this.#recover(recovery, (resume) => this.#skipper.statement(resume))
      : location;
  }

  /** The same for a text that is one expression. */
  endText(value: Span, at: number): number {
    this.#spoilt = false;
    if (this.blanks(at) >= this.#text.length) return this.#text.length;
    this.report(expectedEnd(this.#text, value.start, at).complaint);
    this.#spoilt = true;
    return this.#text.length;
  }

  /** Goes behind an entry's comma, or to the end of its line. */
  endEntry(value: Span, at: number): number {
    this.#spoilt = false;
    const next = skipBlanks(this.#text, at);
    const character = this.#text.charAt(next);
    if (character === ",") return next + 1;
    if (character === ")" || character === "]") return at;
    if (character !== ";" && endsLine(this.#text, next)) return at;
    const recovery = expectedComma(this.#text, value.start, at, "entries");
    return this.#recover(recovery, (resume) => this.#behindComma(this.#skipper.entry(resume)));
  }

  /** Goes behind the comma after an element or argument, or stays before the closing bracket. */
  comma(value: Span, at: number, row: CommaContext): number {
    this.#spoilt = false;
    const next = this.blanks(at);
    if (this.#text.charAt(next) === ",") return next + 1;
    if (this.#endsRow(next, row)) {
      this.#rowEnd = next;
      return at;
    }
    const { complaint: found, resume, harmless } = expectedComma(this.#text, value.start, at, row);
    // A missing element has not moved us, and something must.
    const least = value.start === value.end ? next + 1 : next;
    const recovery = { complaint: found, resume: Math.max(resume, least), harmless };
    return this.#recover(recovery, (from) => this.#behindComma(this.#skipper.element(from)));
  }

  /** Whether no element of a list can begin here. A list cannot hold an item, so one that seems to has lost its `]`. */
  endsElements(at: number): boolean {
    return this.endsArguments(at) || looksLikeItem(this.#text, at);
  }

  /** Whether no argument can begin here. `name =` on a new line can be one, however it is indented. */
  endsArguments(at: number): boolean {
    const character = this.#text.charAt(at);
    if (character === "" || "])}".includes(character) || at === this.#rowEnd) return true;
    return isLineEnd(this.#text.charCodeAt(at)) || this.brackets.endsString(at);
  }

  /** Whether a row whose last value has no comma behind it ends before what stands here. */
  #endsRow(at: number, row: CommaContext): boolean {
    if (this.endsArguments(at)) return true;
    return looksLikeItem(this.#text, at) && (row === "elements" || this.#isNotDeeper(at));
  }

  /** Whether a line is indented no more than the one the innermost bracket opens on. */
  #isNotDeeper(at: number): boolean {
    return indentation(this.#text, at) <= this.#nesting.indent(this.#text);
  }

  /** Whether no entry of an object can begin here. An object cannot hold a block, so one that seems to has lost its `}`. */
  endsEntries(at: number): boolean {
    const character = this.#text.charAt(at);
    if (character === "" || "])}".includes(character)) return true;
    if (isLineEnd(this.#text.charCodeAt(at))) return true;
    return this.isOutdented(at) || this.mistakes.looksLikeBlock(at);
  }

  /** The value as it was read, or nothing in its place when what followed it spoilt it. */
  checked(value: ExpressionNode, end: number): ExpressionNode {
    return this.#spoilt ? { kind: "bad_expression", start: value.start, end } : value;
  }

  checkedArgument(argument: CallArgument, end: number): CallArgument {
    return this.#spoilt ? { ...argument, end, value: this.checked(argument.value, end) } : argument;
  }

  #recover(recovery: RecoveryPoint, skip: (resume: number) => number): number {
    this.report(recovery.complaint);
    if (recovery.harmless) return recovery.resume;
    this.#spoilt = true;
    return skip(recovery.resume);
  }

  #behindComma(at: number): number {
    return this.#text.charAt(at) === "," ? at + 1 : at;
  }
}
