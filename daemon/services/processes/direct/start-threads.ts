/** Threads that call `posix_spawn`: one, and another when a program on a dead disk holds it. */
import { OwnThread } from "../../own-thread/own-thread.js";
import type { Perform } from "../../own-thread/serve.js";

/** Milliseconds after which a start is held up: usually it takes a fraction of one. */
const heldUp = 250;
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
    const least = this.#threads.toSorted((a, b) => a.waited - b.waited)[0];
    if (least && (least.waited < heldUp || this.#threads.length === mostThreads)) return least;
    const thread = new OwnThread("commands", makePerform);
    this.#threads.push(thread);
    return thread;
  }
}
