/** A plugin in a thread of its own: contained, bounded in memory, ended even in an endless loop. Shares the process. */
import { Worker } from "node:worker_threads";
import { errorMessage } from "../../errors.js";
import {
  type Carrier,
  type CarrierOptions,
  DEFAULT_HEAP,
  environmentFor,
  printLines,
} from "./carrier.js";

export function openWorker(options: CarrierOptions): Carrier {
  const heap = options.heap ?? DEFAULT_HEAP;
  const worker = new Worker(options.entry, {
    name: options.name,
    execArgv: [],
    env: environmentFor(options.permissions, process.env),
    argv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heap },
  });
  printLines(worker.stdout, (line) => options.print("stdout", line));
  printLines(worker.stderr, (line) => options.print("stderr", line));
  let why: string | undefined;
  worker.on("error", (thrown) => {
    why = reason(thrown, heap);
  });
  const gone = new Promise<string>((resolve) => {
    worker.on("exit", (code) => resolve(why ?? `ended itself with code ${code}`));
  });
  return {
    port: {
      send: (message) => worker.postMessage(message),
      receive: (listener) => {
        worker.on("message", listener);
      },
    },
    pid: undefined,
    gone,
    async terminate() {
      why ??= "was ended";
      worker.ref();
      await worker.terminate();
    },
    unref: () => worker.unref(),
  };
}

function reason(thrown: unknown, heap: number): string {
  if ((thrown as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") {
    return `ran out of memory (${heap} MiB)`;
  }
  return `crashed: ${errorMessage(thrown)}`;
}
