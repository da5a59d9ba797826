/** The worker thread, which handles one job at a time. */
import { parentPort } from "node:worker_threads";
import { UpdatesError } from "../../errors.js";
import { fetchTool } from "./npm/fetch-tool.js";
import { refreshPackageLock } from "./npm/package-lock.js";
import type { WorkerJob, WorkerReply } from "./pool.js";

parentPort?.on("message", (job: WorkerJob) => {
  void answer(job).then((message) => parentPort?.postMessage(message));
});

async function answer(job: WorkerJob): Promise<WorkerReply> {
  try {
    const result = await (job.kind === "tool" ? fetchTool(job) : refreshPackageLock(job));
    return { kind: "done", result };
  } catch (error) {
    const { message } = error as Error;
    return {
      kind: "failed",
      code: error instanceof UpdatesError ? error.code : "lock_failed",
      message,
    };
  }
}
