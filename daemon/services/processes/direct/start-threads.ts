/** Threads that call `posix_spawn`: one, another when commands start at the same time, and more when programs on a dead disk hold them. */
import { constants } from "node:os";
import { OwnThread } from "../../own-thread/own-thread.js";
import type { Perform } from "../../own-thread/serve.js";

/** Milliseconds after which a start is held up: usually it takes a fraction of one. */
const heldUp = 250;
/** Without such a program: a third one gains little, and each takes six megabytes. */
const usualThreads = 2;
const mostThreads = 4;
/** Milliseconds without another thread after one found no room, such as a descriptor. */
const rest = 1000;

/** In the thread. The values are addresses. */
function makePerform(base: string): Perform {
  const require = process.getBuiltinModule("node:module").createRequire(base);
  const posixSpawn = (require("koffi") as typeof import("koffi"))
    .load(null)
    .func(
      "int posix_spawn(uintptr_t pid, uintptr_t file, uintptr_t actions, uintptr_t attributes, uintptr_t argv, uintptr_t envp)",
    );
  return (values) => (values[0] === 0n ? 0 : (posixSpawn(...values) as number));
}

export class StartThreads {
  readonly #threads: OwnThread[] = [];
  #restsUntil = 0;

  /** Starts the first thread: later there may be no descriptors for it. @throws when the library does not run there */
  async open(): Promise<void> {
    await this.call(0n);
  }

  /** The number of an error, or 0. */
  async call(...addresses: readonly bigint[]): Promise<number> {
    const thread = this.#free();
    try {
      return await thread.call(...addresses);
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      // It carried out nothing.
      if (code !== "ERR_WORKER_INIT_FAILED") throw thrown;
      this.#restsUntil = performance.now() + rest;
      const at = this.#threads.indexOf(thread);
      if (this.#threads.length > 1 && at >= 0) this.#threads.splice(at, 1);
      if (this.#threads[0] !== thread) return this.call(...addresses);
      const reason = /: (E[A-Z]+)$/.exec(message)?.[1] as keyof typeof constants.errno | undefined;
      return (reason && constants.errno[reason]) ?? constants.errno.EAGAIN;
    }
  }

  #free(): OwnThread {
    const responsive = this.#threads.filter(({ waited }) => waited < heldUp);
    const all = responsive.length > 0 ? responsive : this.#threads;
    const least = all.toSorted((a, b) => a.pending - b.pending)[0];
    const isResting = performance.now() < this.#restsUntil;
    const isEnough = least?.pending === 0 || responsive.length >= usualThreads || isResting;
    if (least && (isEnough || this.#threads.length === mostThreads)) return least;
    const thread = new OwnThread("commands", makePerform);
    this.#threads.push(thread);
    return thread;
  }
}
