/** Threads that call `posix_spawn`: one, another when commands start at the same time, and more when programs on a dead disk hold them. */
import { OwnThread } from "../../own-thread/own-thread.js";
import type { Perform } from "../../own-thread/serve.js";

/** Milliseconds after which a start is held up: usually it takes a fraction of one. */
const heldUp = 250;
/** Without such a program: a third one gains little, and each takes six megabytes. */
const usualThreads = 2;
const mostThreads = 4;

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

  /** Starts the first thread: later there may be no descriptors for it. @throws when the library does not run there */
  async open(): Promise<void> {
    await this.call(0n);
  }

  /** The number of an error, or 0. */
  call(...addresses: readonly bigint[]): Promise<number> {
    return this.#free().call(...addresses);
  }

  #free(): OwnThread {
    const responsive = this.#threads.filter(({ waited }) => waited < heldUp);
    const all = responsive.length > 0 ? responsive : this.#threads;
    const least = all.toSorted((a, b) => a.pending - b.pending)[0];
    const isEnough = least?.pending === 0 || responsive.length >= usualThreads;
    if (least && (isEnough || this.#threads.length === mostThreads)) return least;
    const thread = new OwnThread("commands", makePerform);
    this.#threads.push(thread);
    return thread;
  }
}
