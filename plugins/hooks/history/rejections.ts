/** The latest requests that a hook refused: kept in memory, for whoever asks why. */
import type { Incoming } from "../decide/incoming.js";

export interface Refused {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly trigger: string;
  readonly status: number;
  readonly reason: string;
  readonly detail: string | (() => string);
  readonly request: Incoming | undefined;
}

const KEPT = 10;
/** Bytes of a body that is kept: a thousand hooks may have been called by strangers. */
const LONGEST_BODY = 4096;

export class Rejections {
  readonly #kept: Refused[] = [];
  #next = 0;

  add(refused: Refused): void {
    const { request } = refused;
    const isSmall = request !== undefined && request.body.length <= LONGEST_BODY;
    this.#kept[this.#next] = isSmall ? refused : { ...refused, request: undefined };
    this.#next = (this.#next + 1) % KEPT;
  }

  /** Newest first. */
  list(): readonly Refused[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)].reverse();
  }
}
