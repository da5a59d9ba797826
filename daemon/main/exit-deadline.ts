/**
 * Ends the process at a moment that nothing can delay: neither promises that never settle, nor a main thread that is blocked, nor threads that wait for
 * a dead disk. A thread of its own keeps the time, and is made when the end is asked for. What was acknowledged is on the disk by then.
 */
import { Worker } from "node:worker_threads";
import { endAtOnce } from "./end-process.js";

/** The exit code of a daemon that only its deadline has ended: neither a second signal nor a fault. */
const DEADLINE_PASSED = 75;

export interface ExitDeadlineOptions {
  readonly logFormat: "json" | "text";
  /** What is not closed at present, for people. */
  readonly open: () => readonly string[];
  /** The exit code if it is not an ordinary end; 0 otherwise. */
  readonly code: () => number;
}

/** What the thread sees of the main one. */
interface Shared {
  /** Milliseconds on the clock of both: when the end comes, when it was asked for, and how often that was changed. */
  readonly deadline: Float64Array<SharedArrayBuffer>;
  readonly changes: Int32Array<SharedArrayBuffer>;
  /** What is open, in UTF-8; how many bytes that are, and the exit code. */
  readonly open: Uint8Array<SharedArrayBuffer>;
  readonly numbers: Int32Array<SharedArrayBuffer>;
}

interface Setting extends Shared {
  readonly base: string;
  readonly logFormat: "json" | "text";
}

/** Bytes of the list of what is open. */
const LIST = 2048;
/** Milliseconds between two notes of what is open. */
const INTERVAL = 50;
/** Milliseconds that the main thread waits longer, in case the other one could not start. */
const RESERVE = 100;

export class ExitDeadline {
  readonly #options: ExitDeadlineOptions;
  readonly #shared: Shared = {
    deadline: new Float64Array(new SharedArrayBuffer(16)),
    changes: new Int32Array(new SharedArrayBuffer(4)),
    open: new Uint8Array(new SharedArrayBuffer(LIST)),
    numbers: new Int32Array(new SharedArrayBuffer(8)),
  };
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #notes: NodeJS.Timeout | undefined;

  constructor(options: ExitDeadlineOptions) {
    this.#options = options;
  }

  /** Ends the process in so many milliseconds; of several calls the earliest moment counts. */
  arm(milliseconds: number): void {
    const { deadline, changes } = this.#shared;
    const at = monotonic() + milliseconds;
    if (this.#worker && at >= (deadline[0] ?? 0)) return;
    deadline[0] = at;
    deadline[1] ||= at - milliseconds;
    this.note();
    Atomics.add(changes, 0, 1);
    Atomics.notify(changes, 0);
    this.#worker ??= this.#start();
    clearTimeout(this.#timer);
    const last = Math.min(milliseconds + RESERVE, 2 ** 31 - 1);
    this.#timer = setTimeout(() => {
      endAtOnce(import.meta.url, this.#code);
      process.kill(process.pid, "SIGKILL");
    }, last).unref();
  }

  /** Everything is closed. */
  disarm(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#notes);
    void this.#worker?.terminate();
  }

  /** What is open now is said when the deadline has passed, even if the main thread is blocked then. */
  note(): void {
    const { open, numbers } = this.#shared;
    const list = Buffer.from(this.#options.open().join(", ")).subarray(0, LIST);
    open.set(list);
    numbers[0] = list.length;
    numbers[1] = this.#code;
  }

  get #code(): number {
    return this.#options.code() || DEADLINE_PASSED;
  }

  #start(): Worker {
    this.#notes = setInterval(() => this.note(), INTERVAL).unref();
    const { logFormat } = this.#options;
    const workerData: Setting = { ...this.#shared, base: import.meta.url, logFormat };
    const worker = new Worker(`(${keepTime})(${endAtOnce})`, {
      ...{ eval: true, name: "exit deadline", workerData, execArgv: [], env: {} },
    });
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  }
}

const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;

/** In the thread; uses nothing outside of itself. */
function keepTime(end: typeof endAtOnce): void {
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { deadline, changes, open, numbers, base, logFormat } = workerData as Setting;
  for (;;) {
    const before = Atomics.load(changes, 0);
    const left = (deadline[0] ?? 0) - Number(process.hrtime.bigint()) / 1e6;
    if (left <= 0) break;
    Atomics.wait(changes, 0, before, left);
  }
  const list = new TextDecoder().decode(Uint8Array.from(open.subarray(0, numbers[0])));
  const message = "The exit deadline ended the daemon: parts of it were still open";
  const after = Math.round(Number(process.hrtime.bigint()) / 1e6 - (deadline[1] ?? 0));
  const time = new Date().toISOString();
  const line =
    logFormat === "json"
      ? JSON.stringify({ level: "error", time, milliseconds: after, open: list, message })
      : `${time.slice(11, 23)} error ${message} milliseconds=${after} open=${JSON.stringify(list)}`;
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // A log that cannot be written does not delay the end.
  }
  end(base, numbers[1] ?? 0);
  process.kill(process.pid, "SIGKILL");
}
