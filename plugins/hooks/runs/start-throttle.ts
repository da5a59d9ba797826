/**
 * Commands that nobody waits for start behind the requests that come in: who is promised a run is told so at once, and the run waits where
 * it is seen. Otherwise a crowd of commands would take the processor from those who are to be answered.
 */

/** Milliseconds that a command stands back at most, however many requests come. */
const PATIENCE = 5;

export class StartThrottle {
  readonly #now: () => number;
  readonly #waiting: Array<() => void> = [];
  #next = 0;
  #isBusy = false;
  #since = 0;
  #looking = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A request has come in. */
  noteRequest(): void {
    this.#isBusy = true;
  }

  /** Resolves when the next command may start: first come, first served, in a turn of the event loop that brought no request, or after a while. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#looking) return;
      this.#looking = true;
      this.#since = this.#now();
      setImmediate(this.#look);
    });
  }

  readonly #look = (): void => {
    const isBusy = this.#isBusy;
    this.#isBusy = false;
    if (!isBusy || this.#now() - this.#since >= PATIENCE) {
      this.#waiting[this.#next]?.();
      this.#next += 1;
      this.#since = this.#now();
      if (this.#next === this.#waiting.length) {
        this.#waiting.length = 0;
        this.#next = 0;
        this.#looking = false;
        return;
      }
    }
    setImmediate(this.#look);
  };
}

/** One for all hooks, as there is one event loop. */
export const startThrottle = new StartThrottle();
