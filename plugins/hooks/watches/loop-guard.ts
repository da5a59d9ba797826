/** Finds a command that changes the files that start it. Pure. */

/** Runs in a row, each right after the one before and with a file in common, after which it is a loop. */
const ROW = 5;
/** Milliseconds after a run in which changes may be its own. */
const CLOSE = 1000;
/** Milliseconds between the runs of a loop. */
const PAUSE = 60_000;

export class LoopGuard {
  #row = 0;
  #began = 0;
  #ended = 0;
  #repeated: ReadonlySet<string> = new Set();
  #isLoop = false;

  /** Whether its runs are held back. */
  get isLoop(): boolean {
    return this.#isLoop;
  }

  /**
   * For a run that may begin, with the paths that have changed and when the first of them was seen: milliseconds until it may begin, and
   * whether a loop has been found just now.
   */
  judge(
    paths: readonly string[],
    seen: number,
    now: number,
  ): { readonly pause: number; readonly isNew: boolean } {
    if (this.#row < ROW || this.#common(paths, seen).length === 0)
      return { pause: 0, isNew: false };
    const isNew = !this.#isLoop;
    this.#isLoop = true;
    return { pause: Math.max(0, this.#began + PAUSE - now), isNew };
  }

  began(paths: readonly string[], seen: number, now: number): void {
    const common = this.#common(paths, seen);
    const continues = common.length > 0;
    this.#row = continues ? this.#row + 1 : 1;
    this.#repeated = new Set(continues ? common : paths);
    this.#isLoop &&= continues;
    this.#began = now;
    this.#ended = Number.POSITIVE_INFINITY;
  }

  ended(now: number): void {
    this.#ended = now;
  }

  /** Of the paths, those of every run of the row; none if they came too late to be the work of the last one. */
  #common(paths: readonly string[], seen: number): readonly string[] {
    if (this.#row === 0 || seen > this.#ended + CLOSE) return [];
    return paths.filter((path) => this.#repeated.has(path));
  }
}
