/** What happens, told to the daemon's events and to whoever listens at the interface. */
import { PassThrough, type Readable } from "node:stream";
import type { Events, Fields } from "reeve/plugin";

/** Bytes that wait for a slow listener before it is let go. */
const mostWaiting = 1024 * 1024;

export class Progress {
  readonly #events: Events;
  readonly #streams = new Map<PassThrough, (data: Fields) => boolean>();
  #sequence = 0;

  constructor(events: Events) {
    this.#events = events;
  }

  /** `type` in dots, in the past tense: `update.opened`. */
  emit(type: string, data: Fields): void {
    this.#events.emit(type, data);
    this.#sequence += 1;
    const text = `id: ${this.#sequence}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const [stream, concerns] of this.#streams) {
      if (!concerns(data)) continue;
      stream.write(text);
      if (stream.writableLength > mostWaiting) stream.destroy();
    }
  }

  /** Server-sent events from now on, of what concerns the listener. */
  listen(concerns: (data: Fields) => boolean): Readable {
    const stream = new PassThrough();
    this.#streams.set(stream, concerns);
    stream.on("close", () => this.#streams.delete(stream));
    stream.on("error", () => undefined);
    stream.write("retry: 1000\n\n");
    return stream;
  }

  /** Nobody listens any more. */
  end(): void {
    for (const stream of this.#streams.keys()) stream.end();
    this.#streams.clear();
  }
}
