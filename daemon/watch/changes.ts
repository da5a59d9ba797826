/** Signals changes; a listener waits for the next change, or for quiet after the last. */
import { type Clock } from "../plugin-api/context.js";

export class ChangeSignal {
  readonly #clock: Clock;
  #count = 0;
  #seen = 0;
  #last = 0;
  #waiting = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of changes so far. */
  get count(): number {
    return this.#count;
  }

  notify(): void {
    this.#count += 1;
    this.#last = this.#clock.now();
    this.#waiting.resolve();
  }

  /** Resolves if there was a change since the last wait; rejects with the signal's reason. */
  async changed(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#count === this.#seen) {
      this.#waiting = Promise.withResolvers();
      const abort = () => this.#waiting.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      await this.#waiting.promise.finally(() => signal.removeEventListener("abort", abort));
    }
    this.#seen = this.#count;
  }

  /** Resolves at the next change, or after `milliseconds` without one. */
  async changedWithin(milliseconds: number, signal: AbortSignal): Promise<void> {
    const before = this.#count;
    const end = this.#clock.now() + milliseconds;
    while (this.#count === before && this.#clock.now() < end) {
      await this.#clock.sleep(Math.min(STEP, end - this.#clock.now()), signal);
    }
  }

  /**
   * Resolves after `milliseconds` of quiet, at `deadline` at the latest, to that time. Consumes the changes until
   * then.
   */
  async quiet(milliseconds: number, deadline: number, signal: AbortSignal): Promise<number> {
    const begin = this.#clock.now();
    const end = () => Math.min(Math.max(this.#last, begin - milliseconds) + milliseconds, deadline);
    for (let left = end() - begin; left > 0; left = end() - this.#clock.now()) {
      await this.#clock.sleep(left, signal);
    }
    this.#seen = this.#count;
    return end();
  }
}

/** Polling interval in milliseconds. */
const STEP = 20;

/** Above this number, changes are not tracked by name. */
const NAMES = 1_000;

export interface PathChange {
  /** Whether the changed paths are unknown. */
  readonly everywhere: boolean;
  /** Names by the directory they are in. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
}

export const isSomething = ({ everywhere, names }: PathChange): boolean =>
  everywhere || names.size > 0;

export class ChangedPaths implements PathChange {
  readonly names = new Map<string, Set<string>>();
  everywhere: boolean;
  #count = 0;

  constructor(everywhere = false) {
    this.everywhere = everywhere;
  }

  /** `null`: the directory itself changed. */
  add(directory: string, name: string | null): void {
    if (this.everywhere) return;
    this.#count += 1;
    if (name === null || this.#count > NAMES) {
      this.addEverything();
      return;
    }
    const names = this.names.get(directory);
    if (names) names.add(name);
    else this.names.set(directory, new Set([name]));
  }

  addEverything(): void {
    this.everywhere = true;
    this.names.clear();
  }

  /** Adds the changes of another set. */
  join({ everywhere, names }: PathChange): void {
    if (everywhere) this.addEverything();
    for (const [directory, those] of names) for (const name of those) this.add(directory, name);
  }
}
