/** The daemon's stream as the dashboard keeps it: bounded, and cheap for every line. */
import type { DaemonEvent, Status } from "../../../daemon/http/control/api.js";
import type { WatchLine } from "../../control/watch.js";
import type { Link, Model } from "./model.js";

/** Events that are kept. */
const EVENTS = 5000;
/** Seconds of rates that are shown at most. */
const SECONDS = 230;

type FeedView = Pick<Model, "link" | "now" | "events" | "missed" | "rates">;

export class Feed {
  readonly #events = new Ring<DaemonEvent>(EVENTS);
  readonly #all = new Rates();
  readonly #of = new Map<string, Rates>();
  #link: Link = { state: "live" };
  #boot: string | undefined;
  #missed = false;
  #configurationEvents = 0;
  /** The daemon's clock minus ours. */
  #skew = 0;
  #lastLineAt: number;

  /** `now` is the clock of this process, in milliseconds since the epoch. */
  constructor(now: number) {
    this.#lastLineAt = now;
  }

  add(line: WatchLine, now: number): void {
    if (line.line === "lost") {
      if (this.#link.state === "live")
        this.#link = { state: "lost", since: this.#lastLineAt, reason: line.reason };
      return;
    }
    this.#link = { state: "live" };
    this.#lastLineAt = now;
    if (line.line === "event") this.#event(line);
    if (line.line === "left_out") {
      for (const { plugin, second, count } of line.counts) {
        this.#count(second * 1000 - this.#skew, plugin, count);
      }
    }
    if (line.line === "snapshot") {
      if (this.#boot !== undefined && line.boot !== this.#boot) this.#events.clear();
      this.#boot = line.boot;
      this.#configurationEvents += 1;
      this.#missed = line.missed === true;
      this.setStatus(line.status, now);
    }
  }

  /** An answer to something else also says what time it is there. */
  setStatus(status: Status, now: number): void {
    this.#lastLineAt = now;
    this.#skew = status.now - now;
  }

  /** How often something was told of the configuration: with another number, what was known of it is old. */
  get configurationEvents(): number {
    return this.#configurationEvents;
  }

  get hasEvents(): boolean {
    return this.#events.newestFirst().length > 0;
  }

  view(now: number): FeedView {
    this.#all.advance(now);
    for (const rates of this.#of.values()) rates.advance(now);
    return {
      link:
        this.#link.state === "live"
          ? this.#link
          : { ...this.#link, since: this.#link.since + this.#skew },
      now: now + this.#skew,
      events: this.#events.newestFirst(),
      missed: this.#missed,
      rates: {
        all: this.#all.last(SECONDS),
        of: new Map([...this.#of].map(([plugin, rates]) => [plugin, rates.last(SECONDS)])),
      },
    };
  }

  #event(event: DaemonEvent): void {
    if (event.type.startsWith("config.")) this.#configurationEvents += 1;
    this.#events.push(event);
    this.#count(event.at - this.#skew, event.plugin, 1);
  }

  #count(at: number, plugin: string | undefined, count: number): void {
    this.#all.add(at, count);
    if (plugin === undefined) return;
    let rates = this.#of.get(plugin);
    if (rates === undefined) {
      rates = new Rates();
      this.#of.set(plugin, rates);
    }
    rates.add(at, count);
  }
}

/** Keeps the newest items and drops older ones. */
export class Ring<Item> {
  readonly #capacity: number;
  #items: Item[] = [];
  #newestFirst: readonly Item[] | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#newestFirst = undefined;
    // Drops a whole capacity at once, so a push takes constant time on average.
    if (this.#items.length >= 2 * this.#capacity) this.#items.splice(0, this.#capacity);
  }

  clear(): void {
    this.#items = [];
    this.#newestFirst = undefined;
  }

  /** At most `capacity` items. The same array until the next push. */
  newestFirst(): readonly Item[] {
    this.#newestFirst ??= this.#items.slice(-this.#capacity).reverse();
    return this.#newestFirst;
  }
}

/** How many seconds `Rates` keeps. */
const KEPT = 240;

/** Counts per second over the last minutes. */
export class Rates {
  readonly #counts = new Array<number>(KEPT).fill(0);
  #second = 0;

  /** Counts things at this moment, in milliseconds. Ignores times before the oldest kept second. */
  add(at: number, count = 1): void {
    this.advance(at);
    const second = Math.floor(at / 1000);
    if (second <= this.#second - KEPT) return;
    this.#counts[second % KEPT] = (this.#counts[second % KEPT] ?? 0) + count;
  }

  /** Sets the counts of the seconds since the last call to zero. */
  advance(at: number): void {
    const second = Math.floor(at / 1000);
    for (let next = Math.max(this.#second + 1, second - KEPT + 1); next <= second; next += 1) {
      this.#counts[next % KEPT] = 0;
    }
    this.#second = Math.max(this.#second, second);
  }

  /** The counts of the last `seconds` complete seconds, oldest first. */
  last(seconds: number): readonly number[] {
    return Array.from(
      { length: Math.min(seconds, KEPT - 1) },
      (_, index, from = this.#second - Math.min(seconds, KEPT - 1)) =>
        this.#counts[Math.max(0, from + index) % KEPT] ?? 0,
    );
  }
}
