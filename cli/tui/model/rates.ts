/** How much happens a second, over the last minutes. */

/** Seconds that are kept. */
const KEPT = 240;

export class Rates {
  readonly #counts = new Array<number>(KEPT).fill(0);
  #second = 0;

  /** Counts things at this moment, in milliseconds. What is older than all that is kept is left out. */
  add(at: number, count = 1): void {
    this.advance(at);
    const second = Math.floor(at / 1000);
    if (second <= this.#second - KEPT) return;
    this.#counts[second % KEPT] = (this.#counts[second % KEPT] ?? 0) + count;
  }

  /** Seconds that have passed since are empty. */
  advance(at: number): void {
    const second = Math.floor(at / 1000);
    for (let next = Math.max(this.#second + 1, second - KEPT + 1); next <= second; next += 1) {
      this.#counts[next % KEPT] = 0;
    }
    this.#second = Math.max(this.#second, second);
  }

  /** The last `seconds` that are over, oldest first. */
  last(seconds: number): readonly number[] {
    return Array.from(
      { length: Math.min(seconds, KEPT - 1) },
      (_, index, from = this.#second - Math.min(seconds, KEPT - 1)) =>
        this.#counts[Math.max(0, from + index) % KEPT] ?? 0,
    );
  }
}
