/** Whether the running program differs from the disk, why and since when. The host reports the health of plugins. */

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

  /** `changed` is called on every change. */
  constructor(changed: (staleSince: number | undefined) => void) {
    this.#changed = changed;
  }

  get degraded(): Degraded | undefined {
    return this.#degraded;
  }

  /** Since when the disk differs from the running program. */
  get staleSince(): number | undefined {
    return this.#staleSince;
  }

  /** The running program equals the disk. */
  agrees(): void {
    this.#degraded = undefined;
    this.#staleSince = undefined;
    this.#changed(undefined);
  }

  /** The disk differs from the running program. */
  differs(reason: string, now: number): void {
    this.#staleSince ??= now;
    this.#degraded = { reason, since: this.#staleSince };
    this.#changed(this.#staleSince);
  }
}
