/** The accepted runs of a block that have not ended: cancels them, and waits for their ends. */
import { Cancellation } from "./cancellation.js";
import type { Slot } from "./concurrency-queue.js";
import { DrainSignal } from "./drain-signal.js";

export class RunTracker {
  /** Begins when waiting runs are left to the next daemon. */
  readonly drain = new DrainSignal();
  /** From their slot to their end: also of runs that are just being recorded. */
  readonly #cancellations = new Set<Cancellation>();
  readonly #byRun = new Map<string, Cancellation>();
  /** Runs and resumptions whose end is not recorded. */
  #open = 0;
  #finished: Array<() => void> = [];
  #isCutOff = false;

  /** The cancellation of a run that has this slot; then call `add`, or `drop` if it becomes none. */
  cancellation(slot: Slot): Cancellation {
    const cancel = new Cancellation(slot);
    this.#cancellations.add(cancel);
    if (this.#isCutOff) cancel.abort();
    return cancel;
  }

  drop(cancel: Cancellation): void {
    this.#cancellations.delete(cancel);
  }

  /** A run is recorded. */
  add(run: string, cancel: Cancellation): void {
    this.#open += 1;
    this.#byRun.set(run, cancel);
  }

  /** Its end is recorded. */
  delete(run: string): void {
    const cancel = this.#byRun.get(run);
    if (cancel) this.drop(cancel);
    this.#byRun.delete(run);
    this.#close();
  }

  /** Work that `finished` waits for; it never rejects. */
  async track(work: Promise<unknown>): Promise<void> {
    this.#open += 1;
    await work;
    this.#close();
  }

  /** Cancels a running or queued run; `reason` is one sentence. Returns whether there was one. */
  cancel(run: string, reason: string): boolean {
    const cancel = this.#byRun.get(run);
    cancel?.abort(reason);
    return cancel !== undefined;
  }

  cancelAll(reason: string): void {
    for (const cancel of this.#cancellations) cancel.abort(reason);
  }

  /** Leaves waiting runs to the next daemon. */
  leave(): void {
    this.drain.begin();
  }

  /** The daemon stops: kills every command, also of runs that come later. */
  cutOff(): void {
    this.#isCutOff = true;
    for (const cancel of this.#cancellations) cancel.abort();
  }

  /** Resolves when every end is recorded. */
  async finished(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#finished.push(resolve));
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    const waiting = this.#finished;
    this.#finished = [];
    for (const resolve of waiting) resolve();
  }
}
