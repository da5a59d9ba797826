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
}

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
    for (const at of [now, now - within]) {
      const delivery = await this.#map.get(storeKey(name, at, within));
      if (!delivery || delivery.at + within <= now) continue;
      const record = await runs.get(delivery.run);
      if (!record || !MAY_COME_AGAIN.has(record.state)) return delivery.run;
    }
    return undefined;
  }

  async #keep(name: string, run: string, within: number): Promise<void> {
    const at = this.#context.clock.now();
    try {
      await this.#map.set(storeKey(name, at, within), { run, at });
      if (++this.#kept % SWEEP_EVERY === 0) await this.#sweep(at);
    } catch (thrown) {
      this.#context.log.warn("Cannot store a delivery; a repetition will run again", {
        run,
        reason: String(thrown),
      });
    }
  }

  /** The oldest come first: a key begins with its expiry. */
  async #sweep(now: number): Promise<void> {
    for (const [key] of await this.#map.entries({ limit: SWEEP_AT_ONCE })) {
      if (Number(key.slice(0, TIME_WIDTH)) > now) return;
      await this.#map.delete(key);
    }
  }

  get #map() {
    return this.#context.store.map<Delivery>("deliveries");
  }
}

const TIME_WIDTH = 15;

/** Expiries are rounded to whole periods, so a valid delivery has one of two keys. */
function storeKey(name: string, at: number, within: number): string {
  const until = (Math.floor(at / within) + 2) * within;
  return `${String(until).padStart(TIME_WIDTH, "0")}/${name}`;
}
