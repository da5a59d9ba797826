/** Whether what runs is what is on disk; and if not, why and since when. The health of plugins is the host's to tell. */

export interface Degraded {
  /** One sentence. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export class DriftStatus {
  #degraded: Degraded | undefined;
  #staleSince: number | undefined;
  readonly #changed: (staleSince: number | undefined) => void;

  /** `changed` hears about every change. */
  constructor(changed: (staleSince: number | undefined) => void) {
    this.#changed = changed;
  }

  get degraded(): Degraded | undefined {
    return this.#degraded;
  }

  /** Since when the disk has said something else than what runs. */
  get staleSince(): number | undefined {
    return this.#staleSince;
  }

  /** What is on disk runs. */
  agrees(): void {
    this.#degraded = undefined;
    this.#staleSince = undefined;
    this.#changed(undefined);
  }

  /** The disk says something else. */
  differs(reason: string, now: number): void {
    this.#staleSince ??= now;
    this.#degraded = { reason, since: this.#staleSince };
    this.#changed(this.#staleSince);
  }
}
