/**
 * Publishes events to the daemon and to listeners of the API. Listeners read them from the tables, so events of other daemons
 * and events missed while disconnected arrive the same way.
 */
import { PassThrough, type Readable } from "node:stream";
import type { Events, Fields, Log } from "reeve/plugin";
import { errorMessage, isStoreAway } from "../errors.js";
import type { KeptEvents, NewEvent } from "../store/events.js";
import type { KeptEvent } from "../store/tables.js";

/** Bytes buffered for a slow listener before it is disconnected. */
const mostWaiting = 1024 * 1024;
/** Milliseconds during which events are collected into one write. */
const gathering = 50;
/** Milliseconds between polls for events of other daemons, and between attempts to write. */
const looking = 1000;
/** Unwritten events kept while the database is unreachable. */
const mostUnwritten = 1000;
const page = 500;

export interface UpdateEventsOptions {
  readonly events: Events;
  readonly log: Log;
  readonly kept: KeptEvents;
  /** The name of this daemon. */
  readonly daemon: string;
  /** Whether other daemons write to the same tables. */
  readonly isShared: boolean;
}

interface Listener {
  readonly concerns: (data: Fields) => boolean;
  /** The last event delivered or skipped; `undefined` until it is known. */
  last: number | undefined;
}

export class UpdateEvents {
  readonly #options: UpdateEventsOptions;
  readonly #streams = new Map<PassThrough, Listener>();
  #unwritten: NewEvent[] = [];
  #writing: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isDelivering = false;
  #again = false;

  constructor(options: UpdateEventsOptions) {
    this.#options = options;
  }

  /** `type` is dotted and in the past tense: `update.opened`. */
  emit(type: string, data: Fields): void {
    const { events, daemon } = this.#options;
    events.emit(type, data);
    this.#unwritten.push({ at: Date.now(), daemon, type, data: JSON.stringify(data) });
    if (this.#unwritten.length > mostUnwritten) this.#unwritten.shift();
    this.#writeIn(gathering);
  }

  /** Server-sent events that concern the listener: after the event with that number, or from now on. */
  listen(concerns: (data: Fields) => boolean, after?: number): Readable {
    const stream = new PassThrough();
    const listener: Listener = { concerns, last: undefined };
    this.#streams.set(stream, listener);
    stream.on("close", () => {
      this.#streams.delete(stream);
      if (this.#streams.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    });
    stream.on("error", () => undefined);
    stream.write("retry: 1000\n\n");
    void this.#begin(stream, listener, after);
    if (this.#options.isShared) {
      this.#looking ??= setInterval(() => void this.#deliverNew(), looking).unref();
    }
    return stream;
  }

  /** Disconnects all listeners. */
  end(): void {
    for (const stream of this.#streams.keys()) stream.end();
    this.#streams.clear();
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  /** Writes the collected events. */
  async flush(): Promise<void> {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    const events = this.#unwritten;
    if (events.length === 0) return;
    this.#unwritten = [];
    try {
      await this.#options.kept.add(events);
    } catch (thrown) {
      this.#unwritten = [...events, ...this.#unwritten].slice(-mostUnwritten);
      throw thrown;
    }
  }

  #writeIn(milliseconds: number): void {
    this.#writing ??= setTimeout(() => void this.#write(), milliseconds).unref();
  }

  async #write(): Promise<void> {
    try {
      await this.flush();
      await this.#deliverNew();
    } catch (thrown) {
      if (!isStoreAway(thrown)) this.#complain(thrown);
      this.#writeIn(looking);
    }
  }

  async #begin(stream: PassThrough, listener: Listener, after: number | undefined): Promise<void> {
    try {
      const { first, last } = await this.#options.kept.range();
      // Unknown numbers belong to other tables.
      const known = after === undefined || after > last ? last : after;
      if (after !== undefined && known < first - 1) stream.write("event: missed\ndata: {}\n\n");
      listener.last = known;
    } catch (thrown) {
      stream.destroy();
      if (!isStoreAway(thrown)) this.#complain(thrown);
    }
    await this.#deliverNew();
  }

  /** Delivers new events to all listeners. Never rejects. */
  async #deliverNew(): Promise<void> {
    if (this.#isDelivering) {
      this.#again = true;
      return;
    }
    this.#isDelivering = true;
    try {
      do {
        this.#again = false;
        await this.#deliverPages();
      } while (this.#again);
    } catch (thrown) {
      if (!isStoreAway(thrown)) this.#complain(thrown);
    } finally {
      this.#isDelivering = false;
    }
  }

  async #deliverPages(): Promise<void> {
    for (;;) {
      const known = [...this.#streams.values()].flatMap(({ last }) => last ?? []);
      if (known.length === 0) return;
      const events = await this.#options.kept.after(Math.min(...known), page);
      for (const event of events) this.#deliver(event);
      if (events.length < page) return;
    }
  }

  #deliver({ id, type, daemon, data: text }: KeptEvent): void {
    const data = JSON.parse(text) as Fields;
    const payload = this.#options.isShared ? { ...data, daemon } : data;
    const lines = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(payload)}\n\n`;
    for (const [stream, listener] of this.#streams) {
      if (listener.last === undefined || listener.last >= id) continue;
      listener.last = id;
      if (!listener.concerns(data)) continue;
      stream.write(lines);
      if (stream.writableLength > mostWaiting) stream.destroy();
    }
  }

  #complain(thrown: unknown): void {
    this.#options.log.warn(`Cannot deliver events to listeners: ${errorMessage(thrown)}`);
  }
}
