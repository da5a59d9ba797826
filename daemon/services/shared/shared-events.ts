/** Sends plugins' events to the other daemons. Delivery is not awaited, and events are not stored. */
import type { Pool } from "pg";
import type { Fields } from "../../plugin-api/context.js";
import { Batch } from "./batch.js";
import { rowsFrom } from "./connection.js";

interface EventMessage {
  readonly daemon: string;
  readonly plugin: string;
  readonly type: string;
  readonly data: Fields;
}

/** Bytes that the database takes in one message. */
const largest = 7900;

export class SharedEvents {
  readonly #daemon: string;
  readonly #batch: Batch<string, undefined>;
  #last: Promise<void> = Promise.resolve();

  constructor(pool: Pool, daemon: string) {
    this.#daemon = daemon;
    this.#batch = new Batch(async (messages) => {
      await rowsFrom(
        pool,
        "SELECT pg_notify('reeve_events', message) FROM unnest($1::text[]) AS message",
        [messages],
      );
      return messages.map(() => undefined);
    });
  }

  /** An event that is too large is this daemon's alone. */
  send(plugin: string, type: string, data: Fields): void {
    const message = JSON.stringify({
      daemon: this.#daemon,
      plugin,
      type,
      data,
    } satisfies EventMessage);
    if (Buffer.byteLength(message) > largest) return;
    this.#last = this.#batch.add(message).catch(() => undefined);
  }

  receive(message: string, event: (plugin: string, type: string, data: Fields) => void): void {
    const { daemon, plugin, type, data } = JSON.parse(message) as EventMessage;
    if (daemon !== this.#daemon) event(plugin, type, { ...data, daemon });
  }

  close(): Promise<void> {
    return this.#last;
  }
}
