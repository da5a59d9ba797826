/**
 * The concurrency queue of a hook: how many commands run, how many wait, and which is next. It outlives edits of its
 * hook; new limits apply to the next turn.
 */

export interface QueueLimits {
  readonly concurrency: number;
  readonly queue: number;
  readonly overflow: Overflow;
}

/**
 * For a full queue. `wait`: a new request waits outside for room; `keep_latest`: a
 * new request replaces waiting ones with its key.
 */
type Overflow = "wait" | "refuse" | "drop_oldest" | "keep_latest";

/** Why a slot never got its turn. */
export type SlotLoss = "dropped" | "stopping";

/** The right to run or wait, until `leave`. */
export interface Slot {
  /** Resolves with `go` at its turn, otherwise with the reason. */
  readonly turn: Promise<"go" | SlotLoss>;
  /** Whether it waited on admission. */
  readonly waited: boolean;
  /** Releases the slot; may be called twice, and before its turn. */
  leave(): void;
  /** Gives up a slot that still waits. */
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

/** Requests that may wait outside, without a slot. */
const MOST_OUTSIDE = 1000;

export class ConcurrencyQueue {
  #limits: QueueLimits;
  #running = 0;
  /** Keys of running commands: a key runs once at a time. */
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

  /** A slot; `undefined` if the queue is full. Requests with the same key run one after another. */
  acquire(key?: string): Slot | undefined {
    const { queue, overflow } = this.#limits;
    // Requests that wait while there is room wait for another key.
    if (this.#mayRun(key)) return this.#runs(key);
    if (overflow === "keep_latest") this.#dropWaiting(key);
    if (this.#waiting.size < queue) return this.#waits(key);
    const [oldest] = this.#waiting;
    if (overflow !== "drop_oldest" || !oldest) return undefined;
    this.#lose(oldest, "dropped");
    return this.#waits(key);
  }

  /** A slot even in a full queue, for a run that a previous daemon accepted. */
  reacquire(key?: string): Slot {
    return this.#mayRun(key) ? this.#runs(key) : this.#waits(key);
  }

  /** Like `acquire`; with `overflow = "wait"` it waits for room until the signal of `patience` aborts. */
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

  /** Gives up all waiting slots. */
  clear(): void {
    for (const outside of this.#outside) outside.admit(undefined);
    this.#outside.clear();
    for (const waiting of [...this.#waiting]) this.#lose(waiting, "stopping");
  }

  /** Resolves when nothing runs or waits. */
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

  /** Admits requests from outside in the order of arrival. */
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
