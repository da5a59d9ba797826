/**
 * A thread for calls that wait for the kernel and that work depends on. Node's pool has four threads, which everything in the process shares: four
 * reads of a dead disk by any plugin, and nothing else in the pool is done.
 */
import { Worker } from "node:worker_threads";
import { ARGUMENTS, type MakePerform, type Setting, type Shared, SLOTS, serve } from "./serve.js";

interface Call {
  /** On the clock of `performance`. */
  readonly at: number;
  readonly values: readonly bigint[];
  readonly resolve: (result: number) => void;
  readonly reject: (reason: Error) => void;
}

/** One thread; after its death the next call starts another. */
interface Thread {
  readonly worker: Worker;
  readonly shared: Shared;
  /** Calls that it knows of, oldest first. */
  readonly calls: Call[];
  requested: number;
  answered: number;
}

export class OwnThread {
  readonly #name: string;
  readonly #make: MakePerform;
  readonly #waiting: Call[] = [];
  #thread: Thread | undefined;

  /** Starts with the first call, and lives as long as the process. It does not keep the process alive, except during a call. */
  constructor(name: string, make: MakePerform) {
    this.#name = name;
    this.#make = make;
  }

  /** Calls that have no answer yet. */
  get pending(): number {
    return (this.#thread?.calls.length ?? 0) + this.#waiting.length;
  }

  /** Milliseconds that the oldest call has waited; 0 without one. */
  get waited(): number {
    const [oldest] = this.#thread?.calls ?? [];
    return oldest ? performance.now() - oldest.at : 0;
  }

  /** Calls are carried out one after the other. @throws when the thread dies */
  call(...values: readonly bigint[]): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ at: performance.now(), values, resolve, reject });
      this.#thread ??= this.#start();
      this.#hand(this.#thread);
    });
  }

  #start(): Thread {
    const shared: Shared = {
      counters: new Int32Array(new SharedArrayBuffer(8)),
      values: new BigInt64Array(new SharedArrayBuffer(8 * ARGUMENTS * SLOTS)),
      results: new Int32Array(new SharedArrayBuffer(4 * SLOTS)),
    };
    const workerData: Setting = { shared, base: import.meta.url, each: ARGUMENTS, slots: SLOTS };
    const worker = new Worker(`(${serve})(${this.#make})`, {
      ...{ eval: true, name: this.#name, workerData, execArgv: [], env: {} },
      // Less than what Node's own start needs at times would end the process.
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    worker.unref();
    const thread: Thread = { worker, shared, calls: [], requested: 0, answered: 0 };
    worker.once("error", (thrown) => this.#die(thread, thrown as Error));
    worker.once("exit", () => this.#die(thread, new Error(`The thread ${this.#name} has ended.`)));
    return thread;
  }

  #hand(thread: Thread): void {
    const { shared, calls, worker } = thread;
    const isIdle = calls.length === 0;
    while (calls.length < SLOTS) {
      const call = this.#waiting.shift();
      if (!call) break;
      shared.values.set(call.values, (thread.requested & (SLOTS - 1)) * ARGUMENTS);
      thread.requested = (thread.requested + 1) | 0;
      calls.push(call);
    }
    Atomics.store(shared.counters, 0, thread.requested);
    Atomics.notify(shared.counters, 0);
    if (!isIdle) return;
    worker.ref();
    void this.#listen(thread);
  }

  /** Until all calls are answered. */
  async #listen(thread: Thread): Promise<void> {
    const { shared, calls, worker } = thread;
    while (calls.length > 0) {
      const { async, value } = Atomics.waitAsync(shared.counters, 1, thread.answered);
      if (async) await value;
      this.#take(thread);
      if (this.#waiting.length > 0) this.#hand(thread);
    }
    worker.unref();
  }

  #take(thread: Thread): void {
    const { shared, calls } = thread;
    const answered = Atomics.load(shared.counters, 1);
    while (thread.answered !== answered) {
      calls.shift()?.resolve(shared.results[thread.answered & (SLOTS - 1)] as number);
      thread.answered = (thread.answered + 1) | 0;
    }
  }

  #die(thread: Thread, reason: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#take(thread);
    for (const call of [...thread.calls.splice(0), ...this.#waiting.splice(0)]) call.reject(reason);
  }
}
