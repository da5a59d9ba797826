/** Deduplicates deliveries by the store: a sender that got no response repeats its delivery. */
import { createHash } from "node:crypto";
import type { PluginContext } from "reeve/plugin";

export type DeliveryClaim =
  /** The run of the first delivery. */
  | { readonly repeated: string }
  /** Call exactly one of them: deliveries with the same key wait for it. */
  | { keep(run: string): Promise<void>; release(): void };

interface Delivery {
  readonly run: string;
  readonly at: number;
  /** Milliseconds; absent in entries of the index. */
  readonly within?: number;
}

/** Milliseconds. A delivery later than this from now is of a clock that was set back since. */
const CLOCK_TOLERANCE = 60_000;

/** Claims between two sweeps, and the most entries one sweep deletes. */
const SWEEP_EVERY = 100;
const SWEEP_AT_ONCE = 200;
/** A run that failed may be repeated. */
const MAY_COME_AGAIN: ReadonlySet<string> = new Set([
  ...["failed", "timed_out", "cancelled", "interrupted"],
]);

export class Deliveries {
  readonly #context: Pick<PluginContext, "store" | "runs" | "clock" | "log">;
  readonly #open = new Map<string, Promise<void>>();
  #kept = 0;

  constructor(context: Pick<PluginContext, "store" | "runs" | "clock" | "log">) {
    this.#context = context;
  }

  /** `within` in milliseconds. @throws when the store cannot be read */
  async claim(hook: string, key: string, within: number): Promise<DeliveryClaim> {
    const name = createHash("sha256").update(`${hook}\0${key}`).digest("base64url");
    for (let open = this.#open.get(name); open; open = this.#open.get(name)) await open;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.set(name, promise);
    const release = (): void => {
      this.#open.delete(name);
      resolve();
    };
    try {
      const repeated = await this.#earlier(name, within);
      if (repeated === undefined) {
        return { keep: (run) => this.#keep(name, run, within).finally(release), release };
      }
      release();
      return { repeated };
    } catch (thrown) {
      release();
      throw thrown;
    }
  }

  async #earlier(name: string, within: number): Promise<string | undefined> {
    const { clock, runs } = this.#context;
    const now = clock.now();
    // Earlier versions wrote the index alone.
    for (const key of [
      nameKey(name),
      indexKey(name, now, within),
      indexKey(name, now - within, within),
    ]) {
      const delivery = await this.#map.get(key);
      if (!delivery || delivery.at + within <= now) continue;
      const record = await runs.get(delivery.run);
      if (record && MAY_COME_AGAIN.has(record.state)) continue;
      // How long ago it was is unknown: its time begins anew.
      if (delivery.at > now + CLOCK_TOLERANCE) await this.#store(name, delivery.run, within);
      return delivery.run;
    }
    return undefined;
  }

  async #keep(name: string, run: string, within: number): Promise<void> {
    try {
      await this.#store(name, run, within);
      if (++this.#kept % SWEEP_EVERY === 0) await this.#sweep(this.#context.clock.now());
    } catch (thrown) {
      this.#context.log.warn("Cannot store a delivery; a repetition will run again", {
        run,
        reason: String(thrown),
      });
    }
  }

  /** The index first: what it lacks would stay for ever. */
  async #store(name: string, run: string, within: number): Promise<void> {
    const at = this.#context.clock.now();
    await this.#map.set(indexKey(name, at, within), { run, at });
    await this.#map.set(nameKey(name), { run, at, within });
  }

  /** The oldest come first: a key of the index begins with its expiry. */
  async #sweep(now: number): Promise<void> {
    for (const [key] of await this.#map.entries({ prefix: INDEX, limit: SWEEP_AT_ONCE })) {
      if (Number(key.slice(0, TIME_WIDTH)) > now) return;
      const named = nameKey(key.slice(TIME_WIDTH + 1));
      const delivery = await this.#map.get(named);
      if (delivery && delivery.at + (delivery.within ?? 0) <= now) await this.#map.delete(named);
      await this.#map.delete(key);
    }
  }

  get #map() {
    return this.#context.store.map<Delivery>("deliveries");
  }
}

const TIME_WIDTH = 15;

/** Expiries have fewer digits than `TIME_WIDTH`. */
const INDEX = "0";

const nameKey = (name: string): string => `name/${name}`;

/** Expiries are rounded to whole periods, so a valid delivery has one of two keys of the index. */
function indexKey(name: string, at: number, within: number): string {
  const until = (Math.floor(at / within) + 2) * within;
  return `${String(until).padStart(TIME_WIDTH, "0")}/${name}`;
}
