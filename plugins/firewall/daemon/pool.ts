/** Idle namespaces for the next commands, a few of each kind; the pool replaces each that it hands out. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EnterPlan } from "../engine/enter.js";
import { createIdleNamespace, type IdleNamespace } from "../engine/idle-namespace.js";

/** A namespace with its directory. The caller that takes it must release it. */
export interface IdleSandbox {
  readonly namespace: IdleNamespace;
  readonly directory: string;
  /** Ends the namespace and removes its directory. */
  leave(): Promise<void>;
}

export interface PoolOptions {
  /** A private parent for the namespaces' directories. */
  readonly directory: string;
  /** How many of each kind stay idle. */
  readonly size: number;
  /** Called with the error of a namespace that could not be created in advance. */
  readonly failed: (thrown: unknown) => void;
}

interface Shelf {
  readonly plan: EnterPlan;
  readonly ready: IdleSandbox[];
  making: number;
}

/** How many kinds the pool keeps. */
const mostKinds = 16;
/** Milliseconds between taking a namespace and creating the next. */
const patience = 60;

export class Pool {
  readonly #options: PoolOptions;
  readonly #shelves = new Map<string, Shelf>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #over = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #made = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** How many namespaces are idle. */
  get size(): number {
    return [...this.#shelves.values()].reduce((sum, { ready }) => sum + ready.length, 0);
  }

  /** Keeps namespaces of these kinds from now on, and no others. */
  keep(plans: readonly EnterPlan[]): void {
    const wanted = new Map(plans.slice(0, mostKinds).map((plan) => [keyOf(plan), plan]));
    for (const [key, { ready }] of this.#shelves) {
      if (wanted.has(key)) continue;
      this.#shelves.delete(key);
      for (const each of ready) this.#track(each.leave());
    }
    for (const [key, plan] of wanted) {
      if (!this.#shelves.has(key)) this.#shelves.set(key, { plan, ready: [], making: 0 });
      this.#fill(key);
    }
  }

  /** An idle namespace of that kind, or a new one. @throws {FirewallError} `cannot_isolate` */
  async take(plan: EnterPlan): Promise<IdleSandbox> {
    const key = keyOf(plan);
    const shelf = this.#shelves.get(key);
    for (let ready = shelf?.ready.shift(); ready; ready = shelf?.ready.shift()) {
      this.#fillSoon(key);
      if (
        ready.namespace.process.exitCode === null &&
        ready.namespace.process.signalCode === null
      ) {
        return ready;
      }
      this.#track(ready.leave());
    }
    this.#fillSoon(key);
    return this.#make(plan);
  }

  /** Ends all idle namespaces. Those in use belong to their commands. */
  async close(): Promise<void> {
    this.#over.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.keep([]);
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Later, because creating a namespace now would slow the command that starts. */
  #fillSoon(key: string): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fill(key);
    }, patience);
    this.#timers.add(timer);
  }

  #fill(key: string): void {
    const shelf = this.#shelves.get(key);
    if (!shelf || this.#over.signal.aborted) return;
    while (shelf.ready.length + shelf.making < this.#options.size) {
      shelf.making += 1;
      this.#track(this.#add(key, shelf));
    }
  }

  async #add(key: string, shelf: Shelf): Promise<void> {
    try {
      const ready = await this.#make(shelf.plan);
      if (this.#shelves.get(key) === shelf) shelf.ready.push(ready);
      else await ready.leave();
    } catch (thrown) {
      if (!this.#over.signal.aborted) this.#options.failed(thrown);
    } finally {
      shelf.making -= 1;
    }
  }

  async #make(plan: EnterPlan): Promise<IdleSandbox> {
    this.#made += 1;
    const directory = join(this.#options.directory, `awf-${process.pid}-${this.#made}`);
    mkdirSync(directory, { mode: 0o700 });
    try {
      const namespace = await createIdleNamespace(plan, directory, this.#over.signal);
      return { namespace, directory, leave: () => leave(namespace, directory) };
    } catch (thrown) {
      rmSync(directory, { recursive: true, force: true });
      throw thrown;
    }
  }

  #track(work: Promise<unknown>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }
}

async function leave(namespace: IdleNamespace, directory: string): Promise<void> {
  await namespace.abandon();
  namespace.close();
  rmSync(directory, { recursive: true, force: true });
}

const keyOf = (plan: EnterPlan): string => JSON.stringify(plan);
