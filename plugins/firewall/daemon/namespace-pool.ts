/**
 * Idle namespaces for the next commands, a few of each kind; the pool replaces each that it hands out. A namespace has
 * the host's mounts of the time when it was created: mounts that the host adds later are missing in it, and devices of
 * mounts that it removes stay busy. So the pool replaces idle ones once the host's mounts change.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EnterPlan } from "../engine/enter.js";
import { createIdleNamespace, type IdleNamespace } from "../engine/idle-namespace.js";

/** A namespace with its directory. The caller that takes it must release it. */
export interface IdleSandbox {
  readonly namespace: IdleNamespace;
  readonly directory: string;
  /** The host's mounts when it was created; `undefined` if they could not be read. */
  readonly mounts: string | undefined;
  /** Ends the namespace and removes its directory. */
  release(): Promise<void>;
}

export interface PoolOptions {
  /** A private parent for the namespaces' directories. */
  readonly directory: string;
  /** How many of each kind stay idle. */
  readonly size: number;
  /** Milliseconds between two looks at the host's mounts. */
  readonly mountsMs: number;
  /** Called with the error of a namespace that could not be created in advance. */
  readonly reportFailure: (thrown: unknown) => void;
}

interface PoolKind {
  readonly plan: EnterPlan;
  readonly idle: IdleSandbox[];
  making: number;
}

/** How many kinds the pool keeps. */
const mostKinds = 16;
/** Milliseconds between taking a namespace and creating the next. */
const refillMs = 60;

export class NamespacePool {
  readonly #options: PoolOptions;
  readonly #kinds = new Map<string, PoolKind>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #looking: NodeJS.Timeout | undefined;
  #made = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** How many namespaces are idle. */
  get size(): number {
    return [...this.#kinds.values()].reduce((sum, { idle }) => sum + idle.length, 0);
  }

  /** Keeps namespaces of these kinds from now on, and no others. */
  keep(plans: readonly EnterPlan[]): void {
    const kinds = new Map(plans.slice(0, mostKinds).map((plan) => [keyOf(plan), plan]));
    for (const [key, { idle }] of this.#kinds) {
      if (kinds.has(key)) continue;
      this.#kinds.delete(key);
      for (const each of idle) this.#track(each.release());
    }
    for (const [key, plan] of kinds) {
      if (!this.#kinds.has(key)) this.#kinds.set(key, { plan, idle: [], making: 0 });
      this.#fill(key);
    }
    clearInterval(this.#looking);
    if (kinds.size === 0) return;
    this.#looking = setInterval(() => this.#replaceOutdated(), this.#options.mountsMs).unref();
  }

  /** An idle namespace of that kind, or a new one, whose creation `signal` ends. @throws {FirewallError} `cannot_isolate` */
  async take(plan: EnterPlan, signal: AbortSignal): Promise<IdleSandbox> {
    const key = keyOf(plan);
    const kind = this.#kinds.get(key);
    for (let idle = kind?.idle.shift(); idle; idle = kind?.idle.shift()) {
      this.#fillSoon(key);
      if (isUsable(idle, hostMounts())) return idle;
      this.#track(idle.release());
    }
    this.#fillSoon(key);
    return this.#make(plan, signal);
  }

  /** Ends all idle namespaces. Those in use belong to their commands. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.keep([]);
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #replaceOutdated(): void {
    const mounts = hostMounts();
    for (const [key, { idle }] of this.#kinds) {
      const outdated = idle.filter((each) => !isUsable(each, mounts));
      for (const each of outdated) {
        idle.splice(idle.indexOf(each), 1);
        this.#track(each.release());
      }
      this.#fill(key);
    }
  }

  /** Later, because creating a namespace now would slow the command that starts. */
  #fillSoon(key: string): void {
    if (this.#closing.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fill(key);
    }, refillMs);
    this.#timers.add(timer);
  }

  #fill(key: string): void {
    const kind = this.#kinds.get(key);
    if (!kind || this.#closing.signal.aborted) return;
    while (kind.idle.length + kind.making < this.#options.size) {
      kind.making += 1;
      this.#track(this.#add(key, kind));
    }
  }

  async #add(key: string, kind: PoolKind): Promise<void> {
    try {
      const idle = await this.#make(kind.plan, this.#closing.signal);
      if (this.#kinds.get(key) === kind) kind.idle.push(idle);
      else await idle.release();
    } catch (thrown) {
      if (!this.#closing.signal.aborted) this.#options.reportFailure(thrown);
    } finally {
      kind.making -= 1;
    }
  }

  async #make(plan: EnterPlan, signal: AbortSignal): Promise<IdleSandbox> {
    this.#made += 1;
    const directory = join(this.#options.directory, `awf-${process.pid}-${this.#made}`);
    mkdirSync(directory, { mode: 0o700 });
    try {
      const mounts = hostMounts();
      const namespace = await createIdleNamespace(plan, directory, signal);
      return { namespace, directory, mounts, release: () => release(namespace, directory) };
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

/** As the kernel lists them for this process; compared only. `undefined` if they cannot be read, such as without a free descriptor. */
function hostMounts(): string | undefined {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return undefined;
  }
}

function isUsable({ namespace, mounts }: IdleSandbox, now: string | undefined): boolean {
  const { exitCode, signalCode } = namespace.process;
  return exitCode === null && signalCode === null && (now === undefined || mounts === now);
}

async function release(namespace: IdleNamespace, directory: string): Promise<void> {
  await namespace.abandon();
  namespace.close();
  rmSync(directory, { recursive: true, force: true });
}

const keyOf = (plan: EnterPlan): string => JSON.stringify(plan);
