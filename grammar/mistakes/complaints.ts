import { lineStart, skipLine } from "../reading/lexemes.js";
import type { Complaint } from "./complaint.js";

/**
 * The complaints about one text, without follow-ups: one mistake often spoils the rest of its line, so a statement is
 * blamed once a line.
 */
export class Complaints {
  readonly all: Complaint[] = [];
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

  add(complaint: Complaint): void {
    const last = this.all.at(-1);
    const onLastLine = complaint.start >= this.#line.start && complaint.start <= this.#line.end;
    const isFollowUp = onLastLine && last !== undefined && last.start >= this.#statement;
    if (isFollowUp && complaint.start >= this.#statement) return;
    this.all.push(complaint);
    if (onLastLine) return;
    const { start } = complaint;
    this.#line = { start: lineStart(this.#text, start), end: skipLine(this.#text, start) };
  }

  /** Takes back what was said about the text behind `position`. */
  forgetBehind(position: number): void {
    while ((this.all.at(-1)?.start ?? -1) > position) this.all.pop();
  }
}
