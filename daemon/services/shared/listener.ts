/** The one connection that hears what other daemons say. While it is broken the database counts as away. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../../errors.js";
import { sharedFailure } from "./failure.js";

export interface ListenerOptions {
  readonly address: string;
  readonly channels: readonly string[];
  readonly received: (channel: string, message: string) => void;
  /** Connected, at first or again: whatever was said in between was missed. */
  readonly back: () => void;
  /** Once a break, with a sentence. */
  readonly away: (why: string) => void;
}

/** Milliseconds between two looks whether the connection still stands, and for an answer to that. */
const heartbeat = 5000;
const patience = 5000;
/** Milliseconds between two attempts to connect. */
const pause = 1000;

export class NotificationListener {
  readonly #options: ListenerOptions;
  readonly #over = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#done = this.#live();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#done;
  }

  async #live(): Promise<void> {
    const { signal } = this.#over;
    let isAway = false;
    while (!signal.aborted) {
      try {
        await this.#listen(() => {
          isAway = false;
        });
      } catch (thrown) {
        if (signal.aborted) return;
        if (!isAway) this.#options.away(errorMessage(sharedFailure(thrown)));
        isAway = true;
        await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Until the connection breaks, which rejects. */
  async #listen(connected: () => void): Promise<void> {
    const { address, channels, received, back } = this.#options;
    const { signal } = this.#over;
    const { default: pg } = await import("pg");
    const client = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: patience,
      query_timeout: patience,
      keepAlive: true,
      application_name: "reeve listener",
    });
    const broken = new Promise<never>((_, reject) => {
      client.on("error", reject);
      client.on("end", () => reject(new Error("Connection terminated")));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    broken.catch(() => undefined);
    try {
      await Promise.race([broken, client.connect()]);
      client.on("notification", ({ channel, payload = "" }) => received(channel, payload));
      for (const channel of channels) await client.query(`LISTEN ${channel}`);
      connected();
      back();
      for (;;) {
        await Promise.race([broken, sleep(heartbeat, undefined, { signal, ref: false })]);
        await Promise.race([broken, client.query("SELECT 1")]);
      }
    } finally {
      client.end().catch(() => undefined);
    }
  }
}
