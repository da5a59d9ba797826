/**
 * A hook's lane: how many of its commands run at the same time, how many wait, and who goes next. It outlives edits of its
 * hook; new limits hold from the next turn on.
 */

export interface QueueLimits {
  readonly concurrency: number;
  readonly queue: number;
  readonly overflow: Overflow;
}

/**
 * What happens where too many wait. `wait` lets the newcomer wait outside until there is room; with `keep_latest` a
 * newcomer takes the place of those with its key at once, so that only the latest of them waits.
 */
type Overflow = "wait" | "refuse" | "drop_oldest" | "keep_latest";

/** Why a place in the queue came to nothing. */
export type SlotLoss = "dropped" | "stopping";

/** Somebody's place, from admission until `leave`. */
export interface Slot {
  /** Resolves when it is this one's turn, with why not otherwise. */
  readonly turn: Promise<"go" | SlotLoss>;
  /** Whether it had to wait when it was admitted. */
  readonly waited: boolean;
  /** Gives the place to the next; safe to call twice, and before the turn has come. */
  leave(): void;
  /** Sends this one home if it still waits. */
  cancel(): void;
}

interface Waiting {
  readonly key: string | undefined;
  resolve(turn: "go" | SlotLoss): void;
}

interface Outside {
  readonly key: string | undefined;
  admit(slot: Slot | undefined): void;
}

/** How many may wait outside, without a place in the queue. */
const MOST_OUTSIDE = 1000;

export class ConcurrencyQueue {
  #limits: QueueLimits;
  #running = 0;
  /** Keys of what runs: no two with the same key run at the same time. */
  readonly #busy = new Set<string>();
  readonly #waiting = new Set<Waiting>();
  readonly #outside = new Set<Outside>();
  #idle: Array<() => void> = [];

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  set limits(limits: QueueLimits) {
    this.#limits = limits;
    this.#admit();
    this.#admitOutside();
  }

  /** A place, or nothing where the queue is full. Those with the same key run one after the other. */
  acquire(key?: string): Slot | undefined {
    const { queue, overflow } = this.#limits;
    // Whoever waits while there is room waits for a key that is not this one.
    if (this.#mayRun(key)) return this.#runs(key);
    if (overflow === "keep_latest") this.#dropWaiting(key);
    if (this.#waiting.size < queue) return this.#waits(key);
    const [oldest] = this.#waiting;
    if (overflow !== "drop_oldest" || !oldest) return undefined;
    this.#lose(oldest, "dropped");
    return this.#waits(key);
  }

  /** A place whatever the queue holds: for what was let in before, by a daemon that is no more. */
  reacquire(key?: string): Slot {
    return this.#mayRun(key) ? this.#runs(key) : this.#waits(key);
  }

  /** As `enter`, and waits outside for room where `overflow` says so, until the signal of `patience` is aborted. */
  async acquireWithin(
    key: string | undefined,
    patience: () => AbortSignal,
  ): Promise<Slot | undefined> {
    const isOutside = this.#limits.overflow === "wait" && this.#outside.size > 0;
    const slot = isOutside ? undefined : this.acquire(key);
    const { overflow, queue } = this.#limits;
    if (slot || overflow !== "wait" || queue === 0) return slot;
    if (this.#outside.size >= MOST_OUTSIDE) return undefined;
    const gone = patience();
    if (gone.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<Slot | undefined>();
    const outside: Outside = { key, admit: resolve };
    const leave = (): void => {
      if (this.#outside.delete(outside)) resolve(undefined);
    };
    this.#outside.add(outside);
    gone.addEventListener("abort", leave, { once: true });
    try {
      return await promise;
    } finally {
      gone.removeEventListener("abort", leave);
    }
  }

  /** Sends home everybody who waits. */
  clear(): void {
    for (const outside of this.#outside) outside.admit(undefined);
    this.#outside.clear();
    for (const waiting of [...this.#waiting]) this.#lose(waiting, "stopping");
  }

  /** Resolves when nobody runs or waits. */
  async empty(): Promise<void> {
    if (this.#running === 0 && this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #mayRun(key: string | undefined): boolean {
    return this.#running < this.#limits.concurrency && (key === undefined || !this.#busy.has(key));
  }

  #runs(key: string | undefined): Slot {
    this.#begin(key);
    const leave = this.#leaving(key);
    return { turn: Promise.resolve("go"), waited: false, leave, cancel: () => undefined };
  }

  #waits(key: string | undefined): Slot {
    const { promise, resolve } = Promise.withResolvers<"go" | SlotLoss>();
    let leave: () => void = () => this.#withdraw(waiting, "dropped");
    const waiting: Waiting = {
      key,
      resolve: (turn) => {
        leave = turn === "go" ? this.#leaving(key) : () => undefined;
        resolve(turn);
      },
    };
    this.#waiting.add(waiting);
    const cancel = (): void => this.#withdraw(waiting, "stopping");
    return { turn: promise, waited: true, leave: () => leave(), cancel };
  }

  #begin(key: string | undefined): void {
    this.#running += 1;
    if (key !== undefined) this.#busy.add(key);
  }

  #leaving(key: string | undefined): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running -= 1;
      if (key !== undefined) this.#busy.delete(key);
      this.#admit();
      this.#admitOutside();
    };
  }

  #withdraw(waiting: Waiting, loss: SlotLoss): void {
    if (!this.#waiting.has(waiting)) return;
    this.#lose(waiting, loss);
    this.#admitOutside();
  }

  #dropWaiting(key: string | undefined): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.key === key) this.#lose(waiting, "dropped");
    }
  }

  #lose(waiting: Waiting, loss: SlotLoss): void {
    this.#waiting.delete(waiting);
    waiting.resolve(loss);
    this.#rest();
  }

  #admit(): void {
    for (const next of this.#waiting) {
      if (this.#running >= this.#limits.concurrency) return;
      if (!this.#mayRun(next.key)) continue;
      this.#waiting.delete(next);
      this.#begin(next.key);
      next.resolve("go");
    }
    this.#rest();
  }

  /** Who waits outside comes in, in the order of arrival. */
  #admitOutside(): void {
    for (const outside of this.#outside) {
      const slot = this.acquire(outside.key);
      if (!slot) return;
      this.#outside.delete(outside);
      outside.admit(slot);
    }
  }

  #rest(): void {
    if (this.#running > 0 || this.#waiting.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
