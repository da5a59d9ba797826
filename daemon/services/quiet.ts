/**
 * Whether the code of this process is quiet: it waits for time alone, and for no file, socket, process or request. `FakeClock`
 * moves time only then, so a deadline of fake seconds does not pass while a real answer is on its way.
 */
import { createHook } from "node:async_hooks";
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";

/** Event-loop turns in a row without any callback. */
const TURNS = 5;
/** Turns for callbacks that go on and on, such as those of another test of the file. */
const PATIENCE = 30;
/** Milliseconds after which an operation, a request or a child that still lasts is taken to wait for time, or to stay. */
const YOUNG = 2_000;
/** The same for a child that reads what this process writes, and waits in between. */
const YOUNG_SERVANT = 100;

/** Operations of Node that end by themselves: each has one callback. */
const OPERATIONS =
  /^(FSREQCALLBACK|GETADDRINFOREQWRAP|(TCP|PIPE)CONNECTWRAP|SHUTDOWNWRAP|WRITEWRAP|RANDOMBYTESREQUEST|PBKDF2REQUEST|SCRYPTREQUEST|HASHREQUEST|SIGNREQUEST|KEYPAIRGENREQUEST|KEYGENREQUEST)$/;
/** Callbacks of timers and of the queue of microtasks: no news from outside. */
const INTERNAL = /^(Timeout|Immediate|TickObject|Microtask)$/;

class PendingWork {
  /** With the time of their start, as the following. */
  readonly #operations = new Map<number, number>();
  readonly #internal = new Set<number>();
  /** Requests and children. */
  readonly #outside = new Map<object, number>();
  /** Callbacks from outside until now. */
  callbacks = 0;

  constructor() {
    const options = {
      trackPromises: false,
      init: (id: number, type: string): void => {
        if (OPERATIONS.test(type)) this.#operations.set(id, performance.now());
        else if (INTERNAL.test(type)) this.#internal.add(id);
      },
      before: (id: number): void => {
        if (this.#internal.has(id)) return;
        this.callbacks += 1;
        this.#operations.delete(id);
      },
      destroy: (id: number): void => {
        this.#operations.delete(id);
        this.#internal.delete(id);
      },
    };
    createHook(options).enable();
    const begins = (of: object): void => void this.#outside.set(of, performance.now());
    const ends = (of: object): void => void this.#outside.delete(of);
    for (const [channel, change] of [
      ["undici:request:create", begins],
      ["undici:request:trailers", ends],
      ["undici:request:error", ends],
      ["http.client.request.start", begins],
      ["http.client.response.finish", ends],
      ["http.client.request.error", ends],
    ] as const)
      subscribe(channel, (message) => change((message as { readonly request: object }).request));
    subscribe("child_process", (message) => {
      const { process: child } = message as { readonly process: NodeJS.EventEmitter };
      begins(child);
      child.once("close", () => ends(child));
    });
  }

  /** What is under way in this process or outside, and young enough to end soon. */
  get young(): number {
    const now = performance.now();
    // Promises of file operations have no callback that can be counted.
    let count = process.getActiveResourcesInfo().filter((type) => type === "FSReqPromise").length;
    for (const start of this.#operations.values()) if (now - start < YOUNG) count += 1;
    for (const [of, start] of this.#outside)
      if (now - start < (isReading(of) ? YOUNG_SERVANT : YOUNG)) count += 1;
    return count;
  }
}

/** Whether it is a child whose input is still open. */
const isReading = (of: object): boolean =>
  (of as Partial<ChildProcess>).stdin?.writableEnded === false;

let work: PendingWork | undefined;

/** Observes from now on what is under way; the first fake clock calls it. */
export function observeWork(): void {
  work ??= new PendingWork();
}

/** Resolves when nothing but time is waited for, as far as it can be seen. */
export async function quiet(): Promise<void> {
  observeWork();
  let { callbacks: seen } = work as PendingWork;
  let silent = 0;
  for (let turns = 0; silent < TURNS && turns < PATIENCE; turns += 1) {
    await turn();
    const { callbacks, young } = work as PendingWork;
    if (young > 0) {
      if (turns > 2) await pause(1);
      turns = 0;
    }
    silent = callbacks === seen && young === 0 ? silent + 1 : 0;
    seen = callbacks;
  }
}
