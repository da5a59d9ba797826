/** Facts about the daemon, numbered, and the last few thousand of them kept. */
import type { Clock, Events, Fields, Log } from "../plugin-api/context.js";
import type { DaemonEvent, EventBus, SecretMask } from "./contract.js";
import { CLOCK, inject, injectable, LOG } from "./inject.js";
import { Mask } from "./mask.js";
import { redact } from "./redact.js";

/** Enough to cover a subscriber's short absence. */
const kept = 4096;

/** Characters of the texts in an event. */
const longestData = 1024 * 1024;

const wellFormed = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/;

@injectable()
export class EventRing implements EventBus {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #mask: SecretMask;
  readonly #ring: DaemonEvent[] = [];
  readonly #listeners = new Set<(event: DaemonEvent) => void>();
  /** Events whose listeners have not been called yet: one after the other, also where a listener emits. */
  readonly #pending: DaemonEvent[] = [];
  #isDelivering = false;
  #sequence = 0;

  constructor(@inject(CLOCK) clock: Clock, @inject(LOG) log: Log, @inject(Mask) mask: SecretMask) {
    this.#clock = clock;
    this.#log = log;
    this.#mask = mask;
  }

  get sequence(): number {
    return this.#sequence;
  }

  emit(type: string, data: Fields = {}): void {
    this.#emit(undefined, type, data);
  }

  scoped(plugin: string): Events {
    return { emit: (type, data = {}) => this.#emit(plugin, type, data) };
  }

  since(sequence: number): readonly DaemonEvent[] | undefined {
    const first = this.#sequence - Math.min(this.#sequence, kept) + 1;
    if (sequence + 1 < first || sequence > this.#sequence) return undefined;
    return Array.from(
      { length: this.#sequence - sequence },
      (_, index) => this.#ring[(sequence + index) % kept] as DaemonEvent,
    );
  }

  subscribe(listener: (event: DaemonEvent) => void): () => void {
    // The same function may subscribe twice.
    const own = (event: DaemonEvent): void => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#listeners.clear();
  }

  #emit(plugin: string | undefined, type: string, data: Fields): void {
    if (!wellFormed.test(type)) {
      this.#log.warn(
        "An event was dropped: its type must be lower case words with dots between them.",
        {
          ...(plugin === undefined ? {} : { plugin }),
          type,
        },
      );
      return;
    }
    const event: DaemonEvent = {
      sequence: ++this.#sequence,
      at: this.#clock.now(),
      type,
      ...(plugin === undefined ? {} : { plugin }),
      data: redact(data, this.#mask, longestData),
    };
    this.#ring[(event.sequence - 1) % kept] = event;
    this.#pending.push(event);
    if (!this.#isDelivering) this.#deliver();
  }

  #deliver(): void {
    this.#isDelivering = true;
    for (let event = this.#pending.shift(); event; event = this.#pending.shift()) {
      for (const listener of [...this.#listeners]) {
        try {
          listener(event);
        } catch (thrown) {
          this.#log.error("A listener of events failed.", { type: event.type, thrown });
        }
      }
    }
    this.#isDelivering = false;
  }
}
