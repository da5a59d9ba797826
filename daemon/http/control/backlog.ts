/** Events that wait to be sent to one client: all of them, or the newest and how many there were besides. */
import type { DaemonEvent } from "../../services/contract.js";
import type { DeltaLine, LeftOut, LeftOutLine } from "./api.js";

export interface Backlog {
  /** Milliseconds to wait for more after the first. */
  readonly gather: number;
  /** Returns whether there was room. */
  add(event: DaemonEvent): boolean;
  /** What there is as lines, in order; nothing is left. */
  take(): ReadonlyArray<DeltaLine | LeftOutLine>;
}

/** Events that wait for a slow client; with one more, all are dropped. */
const PATIENCE = 10_000;
/** Milliseconds: short enough for a live display, long enough to batch writes. */
const GATHER = 100;

export function backlogFor(most: number | undefined): Backlog {
  return most === undefined ? new Everything() : new Newest(most);
}

class Everything implements Backlog {
  readonly gather = 0;
  #waiting: DaemonEvent[] = [];

  add(event: DaemonEvent): boolean {
    if (this.#waiting.length >= PATIENCE) return false;
    this.#waiting.push(event);
    return true;
  }

  take(): readonly DeltaLine[] {
    return this.#waiting.splice(0).map(lineOf);
  }
}

/** What is left out is counted, so there is always room. What the daemon says of itself is never left out. */
class Newest implements Backlog {
  readonly gather = GATHER;
  readonly #most: number;
  #own: DaemonEvent[] = [];
  /** Of plugins; once it is full the oldest is at `#oldest`. */
  #newest: DaemonEvent[] = [];
  #oldest = 0;
  #leftOut = new Map<string, { plugin: string; second: number; count: number }>();
  #sequence = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(event: DaemonEvent): boolean {
    this.#sequence = event.sequence;
    if (event.plugin === undefined) this.#own.push(event);
    else if (this.#newest.length < this.#most) this.#newest.push(event);
    else {
      this.#leaveOut(this.#newest[this.#oldest] ?? event);
      this.#newest[this.#oldest] = event;
      this.#oldest = (this.#oldest + 1) % this.#most;
    }
    return true;
  }

  take(): ReadonlyArray<DeltaLine | LeftOutLine> {
    const events = [...this.#own, ...this.#newest].sort((a, b) => a.sequence - b.sequence);
    const counts: readonly LeftOut[] = [...this.#leftOut.values()];
    this.#own = [];
    this.#newest = [];
    this.#oldest = 0;
    this.#leftOut = new Map();
    const lines = events.map(lineOf);
    if (counts.length === 0) return lines;
    return [...lines, { line: "left_out", sequence: this.#sequence, counts }];
  }

  #leaveOut({ plugin = "", at }: DaemonEvent): void {
    const second = Math.floor(at / 1000);
    const key = `${second} ${plugin}`;
    const known = this.#leftOut.get(key);
    if (known) known.count += 1;
    else this.#leftOut.set(key, { plugin, second, count: 1 });
  }
}

const lineOf = (event: DaemonEvent): DeltaLine => ({ line: "event", ...event });
