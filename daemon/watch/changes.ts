/** Rings when something happened; what listens waits for the first ring, or for quiet after the last. */
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

  /** How often it rang so far. */
  get count(): number {
    return this.#count;
  }

  notify(): void {
    this.#count += 1;
    this.#last = this.#clock.now();
    this.#waiting.resolve();
  }

  /** Resolves when it has rung since it was last waited for; rejects with the signal's reason. */
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

  /** Resolves with the next ring, or after `milliseconds` without one. */
  async changedWithin(milliseconds: number, signal: AbortSignal): Promise<void> {
    const before = this.#count;
    const end = this.#clock.now() + milliseconds;
    while (this.#count === before && this.#clock.now() < end) {
      await this.#clock.sleep(Math.min(STEP, end - this.#clock.now()), signal);
    }
  }

  /**
   * Resolves when it has been quiet for `milliseconds`, at `deadline` at the latest; to the time when that was so. What
   * rang until then is heard.
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

/** Milliseconds between two looks at whether it rang. */
const STEP = 20;

/** More names than that are not worth telling apart. */
const NAMES = 1_000;

export interface PathChange {
  /** Whether it may have been anywhere: something was lost, or nothing more is known. */
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

  /** Without a name: something that concerns the directory as such. */
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

  /** As if it had happened here, too. */
  join({ everywhere, names }: PathChange): void {
    if (everywhere) this.addEverything();
    for (const [directory, those] of names) for (const name of those) this.add(directory, name);
  }
}
