/** Time that passes when a test says so. */
import type { Clock } from "../plugin-api/context.js";
import { observeWork, quiet } from "./quiet.js";
import { Sleepers } from "./sleepers.js";

/** Milliseconds of real time. */
const PATIENCE = 60_000;

/** In a test of a plugin it works where the plugin runs inline: elsewhere time is the platform's own. */
export class FakeClock implements Clock {
  readonly #sleepers = new Sleepers();
  /** What has passed, from `start` on; sleepers wait for that. */
  #passed: number;
  /** By how much the host's clock was set, in all. */
  #set = 0;

  /** `start` in milliseconds since the epoch. @default the beginning of 2026 */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#passed = start;
    observeWork();
  }

  now(): number {
    return this.#passed + this.#set;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.#sleepers.sleep(this.#passed + milliseconds, signal);
  }

  /** When the next sleeper wakes; `Infinity` where there is none. */
  get next(): number {
    return this.#sleepers.next + this.#set;
  }

  /** The host's clock is set, forward or back: no time passes, and sleepers wait as long as before. */
  set(time: number): void {
    this.#set += time - this.now();
  }

  /** Moves time at once: every sleeper that is due wakes, those first that wait the shortest. */
  pass(milliseconds: number): void {
    this.#passed += milliseconds;
    this.#sleepers.wake(this.#passed);
  }

  /**
   * Lets time pass, a step at a time, until the promise is over or the condition holds. Before each step the code may end
   * whatever it does. @throws Error if that takes a minute of real time
   */
  async until(
    goal: Promise<unknown> | (() => boolean | Promise<boolean>),
    step = 100,
  ): Promise<void> {
    const limit = performance.now() + PATIENCE;
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    if (typeof goal !== "function") goal.then(end, end);
    const reached = async (): Promise<boolean> => (typeof goal === "function" ? goal() : isOver);
    for (;;) {
      await quiet();
      if (await reached()) return;
      if (performance.now() > limit)
        throw new Error(
          `After a minute, ${new Date(this.now()).toISOString()} is not late enough.`,
        );
      await this.advance(step);
    }
  }

  /**
   * Lets time pass. Sleepers wake at their own moment, one after the other, and may go to sleep again within it. In between the
   * code ends what it does: files, sockets, requests and commands. Not seen is work of other threads.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#passed + milliseconds;
    await quiet();
    for (;;) {
      const { next } = this.#sleepers;
      if (next > end) break;
      this.pass(Math.max(0, next - this.#passed));
      await quiet();
    }
    this.#passed = end;
  }
}
