import { lineStart, skipLine, startOfBlanks } from "../reading/lexemes.js";
import type { Mistake } from "./mistake.js";

/** The mistakes of one text, without consequential errors: a statement reports at most one mistake per line. */
export class MistakeList {
  readonly all: Mistake[] = [];
  readonly #text: string;
  #statement = 0;
  /** The line of the last mistake. */
  #line = { start: 0, end: -1 };

  constructor(text: string) {
    this.#text = text;
  }

  /** Marks the start of a new statement. */
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

  /** A statement that begins where the previous one failed is not a new one. */
  #isSameStatement(position: number): boolean {
    if (position >= this.#statement) return true;
    const before = startOfBlanks(this.#text, this.#statement) - 1;
    return before >= 0 && !";{}\n\r".includes(this.#text.charAt(before));
  }

  /** Removes mistakes after `position`. */
  forgetBehind(position: number): void {
    while ((this.all.at(-1)?.start ?? -1) > position) this.all.pop();
  }
}
