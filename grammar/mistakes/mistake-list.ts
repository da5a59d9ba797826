import { lineStart, skipLine, startOfBlanks } from "../reading/lexemes.js";
import type { Mistake } from "./mistake.js";

/**
 * The complaints about one text, without follow-ups: one mistake often spoils the rest of its line, so a statement is
 * blamed once a line.
 */
export class MistakeList {
  readonly all: Mistake[] = [];
  readonly #text: string;
  #statement = 0;
  /** The line of the complaint that was kept last. */
  #line = { start: 0, end: -1 };

  constructor(text: string) {
    this.#text = text;
  }

  /** From here on complaints are about a new statement. */
  begin(statement: number): void {
    this.#statement = statement;
  }

  add(complaint: Mistake): void {
    const last = this.all.at(-1);
    const onLastLine = complaint.start >= this.#line.start && complaint.start <= this.#line.end;
    if (onLastLine && last !== undefined && this.#isSameStatement(last.start)) return;
    this.all.push(complaint);
    if (onLastLine) return;
    const { start } = complaint;
    this.#line = { start: lineStart(this.#text, start), end: skipLine(this.#text, start) };
  }

  /** A statement that only begins where the one before went wrong is no new one. */
  #isSameStatement(position: number): boolean {
    if (position >= this.#statement) return true;
    const before = startOfBlanks(this.#text, this.#statement) - 1;
    return before >= 0 && !";{}\n\r".includes(this.#text.charAt(before));
  }

  /** Takes back what was said about the text behind `position`. */
  forgetBehind(position: number): void {
    while ((this.all.at(-1)?.start ?? -1) > position) this.all.pop();
  }
}
