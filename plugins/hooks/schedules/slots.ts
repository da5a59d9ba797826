/** The times of a schedule. Pure. */
import { createHash } from "node:crypto";
import { CronTimes } from "reeve/plugin";

export interface ScheduleTimes {
  readonly cron?: string | undefined;
  /** Milliseconds. */
  readonly every?: number | undefined;
  readonly time_zone: string;
  /** Milliseconds. */
  readonly jitter: number;
}

export interface DueSlots {
  /** The planned time of the latest. */
  readonly latest: number;
  /** How many there are; at most `MOST`. */
  readonly count: number;
}

/** Missed times that are counted one by one. */
export const MOST = 1000;
const HOUR = 3_600_000;

/** All times are in milliseconds since the epoch. */
export class Slots {
  /** Between a planned time and its start. */
  readonly delay: number;
  readonly #next: (after: number) => number | undefined;

  /** `identity`: the host and the schedule; it determines the delay. */
  constructor({ cron, every = HOUR, time_zone, jitter }: ScheduleTimes, identity: string) {
    this.delay = Math.floor(share(`jitter ${identity}`) * jitter);
    if (cron === undefined) {
      const offset = Math.floor(share(`every ${identity}`) * every);
      this.#next = (after) => (Math.floor((after - offset) / every) + 1) * every + offset;
    } else {
      const times = new CronTimes(cron, time_zone);
      this.#next = (after) => times.next(after);
    }
  }

  /** The first planned time after `after`. */
  next(after: number): number | undefined {
    return this.#next(after);
  }

  /** The first `count` starts of planned times after `after`. */
  starts(after: number, count: number): readonly number[] {
    const starts: number[] = [];
    for (let at = this.#next(after); at !== undefined; at = this.#next(at)) {
      if (starts.push(at + this.delay) >= count) break;
    }
    return starts;
  }

  /** The planned times after `cursor` whose start is not after `now`. */
  due(cursor: number, now: number): DueSlots | undefined {
    const found = this.#between(cursor, now - this.delay);
    if (!found || found.count < MOST) return found;
    // The latest of many is searched from the end.
    for (let back = HOUR; ; back *= 2) {
      const late = this.#between(Math.max(found.latest, now - this.delay - back), now - this.delay);
      if (late && late.count < MOST) return { ...late, count: MOST };
      if (now - back < found.latest) return found;
      if (late) return this.#latest(late.latest, now - this.delay);
    }
  }

  #latest(from: number, until: number): DueSlots {
    let latest = from;
    for (let at = this.#next(from); at !== undefined && at <= until; at = this.#next(at))
      latest = at;
    return { latest, count: MOST };
  }

  #between(after: number, until: number): DueSlots | undefined {
    let [latest, count] = [after, 0];
    while (count < MOST) {
      const at = this.#next(latest);
      if (at === undefined || at > until) break;
      latest = at;
      count += 1;
    }
    return count === 0 ? undefined : { latest, count };
  }
}

/** From 0 to 1, always the same for a text. */
const share = (text: string): number =>
  createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
