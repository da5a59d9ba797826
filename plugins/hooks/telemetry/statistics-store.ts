/** The statistics of hooks over restarts and edits: written at most once a second, and when the plugin stops. */
import type { PluginContext, StoreMap } from "reeve/plugin";
import { HookStatistics, type StatisticsRecord } from "./statistics.js";

/** Milliseconds between writes: what a killed daemon can lose. */
const INTERVAL = 1000;
/** Milliseconds that the record of a hook is kept after its last change. */
const AGE = 90 * 24 * 3_600_000;

type StatisticsContext = Pick<PluginContext, "store" | "clock" | "host" | "signal">;

export class StatisticsStore {
  readonly #context: StatisticsContext;
  readonly #all = new Map<string, HookStatistics>();
  readonly #changed = new Set<string>();
  #isRead = false;
  #isScheduled = false;
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(context: StatisticsContext) {
    this.#context = context;
  }

  /** Of a block; the same object in every generation. */
  of(key: string): HookStatistics {
    const known = this.#all.get(key);
    if (known) return known;
    const statistics = new HookStatistics(() => this.#note(key));
    this.#all.set(key, statistics);
    return statistics;
  }

  /** Reads the records of earlier starts. A store that is away does not keep hooks from running. */
  async read(): Promise<void> {
    if (this.#isRead) return;
    await this.#refresh().catch(() => undefined);
    // At a restart by hand the earlier instance ends, and writes, after this one has started.
    this.#later(2 * INTERVAL, () => this.#refresh());
  }

  /** Writes what changed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#pending);
    await this.#write().catch(() => undefined);
  }

  get #map(): StoreMap<StatisticsRecord> {
    return this.#context.store.map("statistics");
  }

  async #refresh(): Promise<void> {
    const { clock, host } = this.#context;
    const prefix = `${host}/`;
    for (const [path, record] of await this.#map.entries({ prefix })) {
      const key = path.slice(prefix.length);
      if (clock.now() - record.at < AGE) this.of(key).restore(record);
      else await this.#map.delete(path);
    }
    this.#isRead = true;
  }

  #note(key: string): void {
    this.#changed.add(key);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#later(INTERVAL, () => {
      this.#isScheduled = false;
      return this.#write();
    });
  }

  /** Rejections: the plugin stops, or the store is away. The next change, or `close`, tries again. */
  #later(milliseconds: number, work: () => Promise<void>): void {
    const { clock, signal } = this.#context;
    const pending = clock
      .sleep(milliseconds, AbortSignal.any([signal, this.#closing.signal]))
      .then(work)
      .catch(() => undefined)
      .finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  async #write(): Promise<void> {
    const { clock, host } = this.#context;
    const keys = [...this.#changed];
    this.#changed.clear();
    for (const [index, key] of keys.entries()) {
      const path = `${host}/${key}`;
      let undo: (() => void) | undefined;
      try {
        const stored = await this.#map.get(path);
        const merged = this.of(key).merge(stored, clock.now());
        undo = merged.undo;
        await this.#map.set(path, merged.record);
      } catch (thrown) {
        undo?.();
        for (const each of keys.slice(index)) this.#changed.add(each);
        throw thrown;
      }
    }
  }
}
