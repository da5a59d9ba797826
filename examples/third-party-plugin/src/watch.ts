/** One site: asked again and again, with a memory of how it did. */
import type { Counter, Gauge, Histogram, PluginContext, StoreMap } from "reeve/plugin";
import type { SiteBlock } from "./blocks.js";

export interface Result {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly up: boolean;
  /** Milliseconds until it answered, or until it was given up. */
  readonly took: number;
  /** What was wrong, in a few words. */
  readonly reason?: string;
}

export interface Tools {
  readonly context: PluginContext;
  /** The latest results of each site, by its label. */
  readonly memory: StoreMap<Memory>;
  readonly up: Gauge;
  readonly checks: Counter;
  readonly seconds: Histogram;
}

export interface Memory {
  readonly url: string;
  readonly results: readonly Result[];
}

/** Results that are remembered of a site. */
const KEPT = 100;

export class Watch {
  readonly label: string;
  readonly #tools: Tools;
  readonly #ending = new AbortController();
  #block: SiteBlock;
  #results: readonly Result[];
  #watching: Promise<void> | undefined;
  #pause = new AbortController();

  constructor(block: SiteBlock, tools: Tools, results: readonly Result[]) {
    this.label = block.label ?? "";
    this.#block = block;
    this.#tools = tools;
    this.#results = results;
  }

  /** What is remembered of the site, if it is still the same one. */
  static async open(block: SiteBlock, tools: Tools): Promise<Watch> {
    const memory = await tools.memory.get(block.label ?? "");
    const isSame = memory?.url === block.values.url;
    return new Watch(block, tools, isSame ? memory.results : []);
  }

  /** Oldest first. */
  get results(): readonly Result[] {
    return this.#results;
  }

  get last(): Result | undefined {
    return this.#results.at(-1);
  }

  get url(): string {
    return this.#block.values.url;
  }

  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Goes on with other settings, at once. */
  reconfigure(block: SiteBlock): void {
    this.#block = block;
    this.#pause.abort();
  }

  /** Resolves when nothing of it is under way any more. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#watching;
    this.#tools.up.remove({ site: this.label });
  }

  async #watch(): Promise<void> {
    const { clock } = this.#tools.context;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const result = await this.#ask();
      if (signal.aborted) return;
      await this.#note(result);
      this.#pause = new AbortController();
      const awake = AbortSignal.any([signal, this.#pause.signal]);
      await clock.sleep(this.#block.values.every, awake).catch(() => undefined);
    }
  }

  async #ask(): Promise<Result> {
    const { clock } = this.#tools.context;
    const { url, status, timeout, token } = this.#block.values;
    const at = clock.now();
    const result = (reason?: string): Result => {
      const took = clock.now() - at;
      return reason === undefined ? { at, up: true, took } : { at, up: false, took, reason };
    };
    try {
      const response = await fetch(url, {
        headers: token ? { authorization: `Bearer ${token.reveal()}` } : {},
        redirect: "manual",
        signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(timeout)]),
      });
      await response.body?.cancel();
      return result(response.status === status ? undefined : `it answered ${response.status}`);
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
      return result(isLate ? "it did not answer in time" : "it cannot be reached");
    }
  }

  async #note(result: Result): Promise<void> {
    const { context, memory, up, checks, seconds } = this.#tools;
    const before = this.last;
    this.#results = [...this.#results, result].slice(-KEPT);
    up.set(result.up ? 1 : 0, { site: this.label });
    checks.add(1, { site: this.label, outcome: result.up ? "up" : "down" });
    seconds.observe(result.took / 1000);
    if (before?.up !== result.up) {
      const { reason } = result;
      context.events.emit(result.up ? "uptime.came_up" : "uptime.went_down", {
        site: this.label,
        ...(reason === undefined ? {} : { reason }),
      });
    }
    await memory.set(this.label, { url: this.url, results: this.#results });
  }
}
