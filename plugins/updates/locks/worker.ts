/** The worker thread: one job after another. */
import { parentPort } from "node:worker_threads";
import { UpdatesError } from "../errors.js";
import type { PackageLockJob } from "./contract.js";
import { refreshPackageLock } from "./package-lock.js";
import type { WorkerAnswer } from "./pool.js";

parentPort?.on("message", (job: PackageLockJob) => {
  void answer(job).then((message) => parentPort?.postMessage(message));
});

async function answer(job: PackageLockJob): Promise<WorkerAnswer> {
  try {
    return { kind: "done", lock: await refreshPackageLock(job) };
  } catch (error) {
    const { message } = error as Error;
    return {
      kind: "failed",
      code: error instanceof UpdatesError ? error.code : "lock_failed",
      message,
    };
  }
}
