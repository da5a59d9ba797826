/**
 * The ends of children that Node has not started and so does not look after. Those that it has are not touched: each
 * process is asked for by its number.
 */
import { constants } from "node:os";
import type { ProcessExit, SpawnedProcess } from "../spawner.js";
import type { Libc } from "./libc.js";

/** Milliseconds between looks without a signal: threads other than the main one never get any. */
const interval = 250;

export type Child = Pick<SpawnedProcess, "pid" | "ending">;

export class Children {
  readonly #wait: Libc["wait"];
  readonly #alive = new Map<number, (ending: ProcessExit) => void>();
  #starting = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #look = (): void => {
    for (const pid of this.#alive.keys()) this.#lookAt(pid);
  };

  constructor(wait: Libc["wait"]) {
    this.#wait = wait;
  }

  /** Looks after the child that `start` starts, from its first moment. Passes on what `start` throws. */
  async follow(start: () => Promise<number>): Promise<Child> {
    this.#starting += 1;
    this.#listen();
    try {
      const pid = await start();
      return { pid, ending: this.#endingOf(pid) };
    } finally {
      this.#starting -= 1;
      this.#relax();
    }
  }

  /** Until no child is left to wait for. */
  #listen(): void {
    if (this.#timer) {
      this.#timer.ref();
      return;
    }
    process.on("SIGCHLD", this.#look);
    this.#timer = setInterval(() => {
      this.#look();
      if (this.#isIdle()) this.#rest();
    }, interval);
  }

  #endingOf(pid: number): Promise<ProcessExit> {
    return new Promise((resolve) => {
      this.#alive.set(pid, resolve);
      // It may have ended before anybody knew its number.
      this.#lookAt(pid);
    });
  }

  #lookAt(pid: number): void {
    const status = this.#wait(pid);
    if (status === "alive") return;
    this.#alive.get(pid)?.(status === "gone" ? unknown : endingFrom(status));
    this.#alive.delete(pid);
    this.#relax();
  }

  #isIdle(): boolean {
    return this.#alive.size + this.#starting === 0;
  }

  /** Without children it must not keep the process alive. */
  #relax(): void {
    if (this.#isIdle()) this.#timer?.unref();
  }

  #rest(): void {
    process.removeListener("SIGCHLD", this.#look);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Another caller has reaped it. */
const unknown: ProcessExit = { exitCode: undefined, signal: undefined };

/** A number may have two names; the first is the usual one. */
const names = new Map<number, string>(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

function endingFrom(status: number): ProcessExit {
  const signal = status & 0x7f;
  if (signal === 0) return { exitCode: (status >> 8) & 0xff, signal: undefined };
  return { exitCode: undefined, signal: names.get(signal) ?? `SIG${signal}` };
}
