/** Says so while the disk refuses the journal, and tries again by itself: a daemon that is not ready gets no requests that would. */

export interface JournalHealthOptions {
  /** Called with why the disk refuses, and with nothing once it does not. */
  say(thrown: unknown): void;
  /** @throws when the disk still refuses */
  retry(): Promise<void>;
}

/** Milliseconds between two tries: each leaves a segment. */
const shortest = 1000;
const longest = 30_000;

export class JournalHealth {
  readonly #options: JournalHealthOptions;
  #pause = shortest;
  #timer: NodeJS.Timeout | undefined;
  #isRefused = false;

  constructor(options: JournalHealthOptions) {
    this.#options = options;
  }

  refused(thrown: unknown): void {
    this.#isRefused = true;
    this.#options.say(thrown);
    this.#timer ??= setTimeout(() => void this.#retry(), this.#pause).unref();
  }

  kept(): void {
    if (!this.#isRefused) return;
    this.close();
    this.#options.say(undefined);
  }

  close(): void {
    this.#isRefused = false;
    this.#pause = shortest;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #retry(): Promise<void> {
    this.#pause = Math.min(this.#pause * 2, longest);
    this.#timer = undefined;
    try {
      await this.#options.retry();
      this.kept();
    } catch (thrown) {
      if (this.#isRefused) this.refused(thrown);
    }
  }
}
