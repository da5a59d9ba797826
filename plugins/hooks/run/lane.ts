/**
 * A hook's lane: how many of its commands run at the same time, how many wait, and who goes next. It outlives edits of its
 * hook; new limits hold from the next turn on.
 */

export interface LaneLimits {
  readonly concurrency: number;
  readonly queue: number;
  readonly overflow: "reject" | "drop_oldest";
}

/** Why a place in the queue came to nothing. */
export type Loss = "dropped" | "stopping";

/** Somebody's place, from admission until `leave`. */
export interface Place {
  /** Resolves when it is this one's turn, with why not otherwise. */
  readonly turn: Promise<"go" | Loss>;
  /** Whether it had to wait when it was admitted. */
  readonly waited: boolean;
  /** Gives the place to the next; safe to call twice, and before the turn has come. */
  leave(): void;
}

interface Waiting {
  settle(turn: "go" | Loss): void;
}

export class Lane {
  #limits: LaneLimits;
  #running = 0;
  readonly #waiting = new Set<Waiting>();
  #idle: Array<() => void> = [];

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  set limits(limits: LaneLimits) {
    this.#limits = limits;
    this.#admit();
  }

  /** A place, or nothing where the queue is full. */
  enter(): Place | undefined {
    const { concurrency, queue, overflow } = this.#limits;
    if (this.#running < concurrency && this.#waiting.size === 0) return this.#runs();
    if (this.#waiting.size < queue) return this.#waits();
    const [oldest] = this.#waiting;
    if (overflow === "reject" || !oldest) return undefined;
    this.#lose(oldest, "dropped");
    return this.#waits();
  }

  /** Sends home everybody who waits. */
  clear(): void {
    for (const waiting of [...this.#waiting]) this.#lose(waiting, "stopping");
  }

  /** Resolves when nobody runs or waits. */
  async empty(): Promise<void> {
    if (this.#running === 0 && this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #runs(): Place {
    this.#running += 1;
    return { turn: Promise.resolve("go"), waited: false, leave: this.#leaving() };
  }

  #waits(): Place {
    const { promise, resolve } = Promise.withResolvers<"go" | Loss>();
    let leave: () => void = () => this.#withdraw(waiting);
    const waiting: Waiting = {
      settle: (turn) => {
        leave = turn === "go" ? this.#leaving() : () => undefined;
        resolve(turn);
      },
    };
    this.#waiting.add(waiting);
    return { turn: promise, waited: true, leave: () => leave() };
  }

  #leaving(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running -= 1;
      this.#admit();
    };
  }

  #withdraw(waiting: Waiting): void {
    if (this.#waiting.has(waiting)) this.#lose(waiting, "dropped");
  }

  #lose(waiting: Waiting, loss: Loss): void {
    this.#waiting.delete(waiting);
    waiting.settle(loss);
    this.#rest();
  }

  #admit(): void {
    for (const next of this.#waiting) {
      if (this.#running >= this.#limits.concurrency) return;
      this.#waiting.delete(next);
      this.#running += 1;
      next.settle("go");
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#running > 0 || this.#waiting.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
