/** The newest log lines, for live displays. Kept in memory only. */
import type { LogLine } from "./contract.js";

/** Lines that are kept. */
const KEPT = 500;

export class LogLines {
  #lines: LogLine[] = [];
  #sequence = 0;

  /** What it is given has no secrets in it any more. */
  push(line: Omit<LogLine, "sequence">): void {
    this.#sequence += 1;
    this.#lines.push({ sequence: this.#sequence, ...line });
    // Seldom, and then many at once.
    if (this.#lines.length >= 2 * KEPT) this.#lines.splice(0, KEPT);
  }

  /** Those after this number that are still kept, oldest first. */
  since(sequence: number): readonly LogLine[] {
    const wanted = Math.min(KEPT, Math.max(0, this.#sequence - sequence));
    return wanted === 0 ? [] : this.#lines.slice(-wanted);
  }
}
