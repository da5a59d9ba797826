/** A plugin in a thread of its own: contained, bounded in memory, ended even in an endless loop. Shares the process. */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { faultMessage } from "../../plugin-fault.js";
import {
  type Carrier,
  type CarrierOptions,
  DEFAULT_HEAP,
  environmentFor,
  printLines,
} from "./carrier.js";
import { MeteredPort } from "./credit.js";
import type { Port } from "./peer.js";

export function openWorker(options: CarrierOptions): Carrier {
  const heap = options.heap ?? DEFAULT_HEAP;
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(options.entry, {
    name: options.name,
    execArgv: [],
    env: environmentFor(options.permissions, process.env),
    argv: [],
    workerData: port2,
    transferList: [port2],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heap },
  });
  void printLines(worker.stdout, (line) => options.print("stdout", line));
  void printLines(worker.stderr, (line) => options.print("stderr", line));
  let why: string | undefined;
  const end = async (reason: string) => {
    why ??= reason;
    worker.ref();
    await worker.terminate();
  };
  const reader = new TurnReader(port1);
  worker.on("error", (thrown) => {
    why ??= reasonOf(thrown, heap);
  });
  const gone = new Promise<string>((resolve) => {
    worker.on("exit", (code) => {
      if (why === undefined) reader.finish();
      port1.close();
      resolve(why ?? `ended itself with code ${code}`);
    });
  });
  return {
    port: new MeteredPort(reader, (what) => void end(what)),
    pid: undefined,
    gone,
    terminate: () => end("was ended"),
    unref() {
      worker.unref();
      reader.unref();
    },
  };
}

/** Messages that are read in one turn of the event loop. */
const TURN = 200;

/** Reads a port in turns: Node alone reads everything that is queued before anything else runs. */
class TurnReader implements Port {
  readonly #port: MessagePort;
  #listener: (message: unknown) => void = () => undefined;
  #isRef = true;
  #read = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  send(message: unknown): void {
    this.#port.postMessage(message);
  }

  receive(listener: (message: unknown) => void): void {
    this.#listener = listener;
    this.#resume();
  }

  /** Reads what a worker sent before it ended. */
  finish(): void {
    for (let count = 0; count < TURN; count += 1) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.#listener(received.message);
    }
  }

  unref(): void {
    this.#isRef = false;
    this.#port.unref();
  }

  #resume(): void {
    this.#port.on("message", this.#take);
    if (!this.#isRef) this.#port.unref();
  }

  readonly #take = (message: unknown): void => {
    this.#read += 1;
    if (this.#read === 1) setImmediate(() => this.#next());
    if (this.#read === TURN) this.#port.off("message", this.#take);
    this.#listener(message);
  };

  #next(): void {
    const isPaused = this.#read >= TURN;
    this.#read = 0;
    if (isPaused) this.#resume();
  }
}

function reasonOf(thrown: unknown, heap: number): string {
  if ((thrown as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") {
    return `ran out of memory (${heap} MiB)`;
  }
  return `crashed: ${faultMessage(thrown)}`;
}
