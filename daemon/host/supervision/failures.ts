/** How often a plugin has failed lately, and what follows from it. Every cause counts alike. */

/** Milliseconds. */
export const SUPERVISION = {
  /** Failures within `window` that put a plugin into quarantine. */
  failures: 5,
  window: 5 * 60_000,
  /** Unhealthy answers in a row that count as a failure. */
  patience: 3,
  firstDelay: 500,
  longestDelay: 60_000,
  /** After this long without a failure, the delay begins at its first value again. */
  forgotten: 10 * 60_000,
} as const;

export type FailureAction =
  | { readonly kind: "retry"; readonly delay: number }
  | { readonly kind: "quarantine" };

export class Failures {
  #times: readonly number[] = [];

  /** `random` is in 0..1: the delay varies by a quarter, so that plugins that failed together do not start together. */
  note(now: number, random: number): FailureAction {
    this.#times = [...this.#times.filter((time) => now - time < SUPERVISION.forgotten), now];
    const recent = this.#times.filter((time) => now - time < SUPERVISION.window);
    if (recent.length >= SUPERVISION.failures) return { kind: "quarantine" };
    const exponential = SUPERVISION.firstDelay * 2 ** (this.#times.length - 1);
    const delay = Math.min(exponential, SUPERVISION.longestDelay);
    return { kind: "retry", delay: Math.round(delay * (0.75 + random / 2)) };
  }

  forget(): void {
    this.#times = [];
  }
}
