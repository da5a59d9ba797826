/**
 * Delays commands without a waiting sender behind incoming requests, so that a burst of commands does not
 * take the processor from responses.
 */

/** Longest delay of a command in milliseconds. */
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

  /** Call for every request. */
  noteRequest(): void {
    this.#isBusy = true;
  }

  /** Resolves when the command may start: in order, in a turn of the event loop without a request, or after the longest delay. */
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

/** One for all hooks, like the event loop. */
export const startThrottle = new StartThrottle();
