import { errorMessage } from "../errors.js";
import type { Log } from "../plugin-api/context.js";

/** What has to end, last made first. One part's trouble does not keep the others from ending. */
export class CleanupStack {
  readonly #parts: Array<{ readonly name: string; readonly end: () => Promise<void> }> = [];

  defer(name: string, end: () => Promise<void>): void {
    this.#parts.push({ name, end });
  }

  /** `log` may end on the way. */
  async unwind(log: Log | undefined): Promise<void> {
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await part.end();
      } catch (thrown) {
        log?.error("A part of the daemon did not end well", {
          part: part.name,
          reason: errorMessage(thrown),
        });
      }
    }
  }
}
