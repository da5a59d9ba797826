/** A pool of worker threads for lock files: at most one per processor, terminated when idle. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { UpdatesError, type UpdatesErrorCode } from "../../errors.js";
import type {
  FetchedTool,
  LockWorkers,
  PackageLockJob,
  RefreshedLock,
  ToolJob,
} from "./contract.js";

export type WorkerJob = PackageLockJob | ToolJob;
type Done = RefreshedLock | FetchedTool;

export type WorkerReply =
  | { readonly kind: "done"; readonly result: Done }
  | { readonly kind: "failed"; readonly code: UpdatesErrorCode; readonly message: string };

export interface LockWorkerOptions {
  /** @default the number of processors, at most 4 */
  readonly size?: number;
  /** Milliseconds for one lock file. @default 120000 */
  readonly timeout?: number;
  /** Milliseconds until an idle worker is terminated. @default 30000 */
  readonly idle?: number;
  /** Heap limit of a worker in mebibytes. @default 1024 */
  readonly memory?: number;
}

interface Waiting {
  readonly job: WorkerJob;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: Done) => void;
  readonly reject: (error: Error) => void;
}

export function createLockWorkers(options: LockWorkerOptions = {}): LockWorkers {
  const { timeout = 120_000, idle = 30_000, memory = 1024 } = options;
  const size = options.size ?? Math.min(4, availableParallelism());
  const queue: Waiting[] = [];
  const free = new Map<Worker, NodeJS.Timeout>();
  const all = new Set<Worker>();
  let closed = false;

  function start(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url), {
      // Lock files do not depend on the environment.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memory },
    });
    all.add(worker);
    worker.unref();
    worker.on("error", () => undefined);
    worker.once("exit", () => {
      all.delete(worker);
      clearTimeout(free.get(worker));
      free.delete(worker);
    });
    return worker;
  }

  function next(): void {
    if (queue.length === 0) return;
    const [worker] = free.keys();
    if (!worker && all.size >= size) return;
    const waiting = queue.shift() as Waiting;
    if (worker) {
      clearTimeout(free.get(worker));
      free.delete(worker);
    }
    work(worker ?? start(), waiting);
  }

  function work(worker: Worker, { job, signal, resolve, reject }: Waiting): void {
    const timer = setTimeout(() => end(`took longer than ${timeout} ms`), timeout);
    const onAbort = (): void => end("was stopped");
    const onExit = (): void => fail("the worker ended early");
    worker.ref();
    signal?.addEventListener("abort", onAbort, { once: true });
    worker.once("exit", onExit);
    worker.once("message", onMessage);

    function cleanUp(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      worker.off("exit", onExit);
      worker.off("message", onMessage);
    }
    function onMessage(answer: WorkerReply): void {
      cleanUp();
      worker.unref();
      free.set(worker, setTimeout(() => void worker.terminate(), idle).unref());
      if (answer.kind === "done") resolve(answer.result);
      else reject(new UpdatesError(answer.code, answer.message));
      next();
    }
    function fail(why: string): void {
      cleanUp();
      all.delete(worker);
      reject(new UpdatesError("lock_failed", `${purpose(job)} failed: ${why}.`));
      next();
    }
    function end(why: string): void {
      fail(why);
      void worker.terminate();
    }
    if (signal?.aborted) end("was stopped");
    else worker.postMessage(job);
  }

  function queued<Result extends Done>(job: WorkerJob, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (closed) {
        reject(stopping());
        return;
      }
      queue.push({ job, signal, resolve: resolve as Waiting["resolve"], reject });
      next();
    });
  }

  return {
    refresh: (job, signal) => queued(job, signal),
    fetchTool: (job, signal) => queued(job, signal),
    close: async () => {
      closed = true;
      for (const { reject } of queue.splice(0)) reject(stopping());
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

const stopping = (): UpdatesError =>
  new UpdatesError("lock_failed", "Lock files are not refreshed: stopping.");

const purpose = (job: WorkerJob): string =>
  job.kind === "tool" ? `Fetching ${job.name} ${job.range}` : `Refreshing ${job.file}`;
