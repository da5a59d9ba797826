/**
 * The ends of children that Node has not started and so does not look after. Those that it has are not touched: each
 * process is asked for by its number.
 */
import { constants } from "node:os";
import type { Ending } from "../starter.js";
import type { Libc } from "./libc.js";

/** Milliseconds between looks without a signal: threads other than the main one never get any. */
const interval = 250;

export class Children {
  readonly #wait: Libc["wait"];
  readonly #alive = new Map<number, (ending: Ending) => void>();
  #timer: NodeJS.Timeout | undefined;
  readonly #look = (): void => {
    for (const [pid, ended] of this.#alive) {
      const status = this.#wait(pid);
      if (status === "alive") continue;
      this.#alive.delete(pid);
      ended(status === "gone" ? { exitCode: undefined, signal: undefined } : endingFrom(status));
    }
  };

  constructor(wait: Libc["wait"]) {
    this.#wait = wait;
  }

  /** To be called before a child is started, so that no end goes unheard. Listens until none is left. */
  listen(): void {
    if (this.#timer) return;
    process.on("SIGCHLD", this.#look);
    this.#timer = setInterval(() => {
      this.#look();
      if (this.#alive.size === 0) this.#rest();
    }, interval);
  }

  endingOf(pid: number): Promise<Ending> {
    return new Promise((resolve) => this.#alive.set(pid, resolve));
  }

  #rest(): void {
    process.removeListener("SIGCHLD", this.#look);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A number may have two names; the first is the usual one. */
const names = new Map<number, string>(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

function endingFrom(status: number): Ending {
  const signal = status & 0x7f;
  if (signal === 0) return { exitCode: (status >> 8) & 0xff, signal: undefined };
  return { exitCode: undefined, signal: names.get(signal) ?? `SIG${signal}` };
}
