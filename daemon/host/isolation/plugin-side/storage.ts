/** The map store, jobs and runs of an isolated plugin; the host stores them. */

import { ReeveError } from "../../../errors.js";
import type { Job, Jobs, JobWorker, Run, Runs, StoreMap } from "../../../plugin-api/state.js";
import type { JobData } from "../methods.js";
import { type HostPeer, Numbered } from "./host-peer.js";

export const createMap = <Value>(host: HostPeer, map: string): StoreMap<Value> => ({
  get: async (key) => (await host.call("map.get", { map, key })) as Value | undefined,
  set: (key, value) => host.call("map.set", { map, key, value }),
  delete: (key) => host.call("map.delete", { map, key }),
  entries: async ({ prefix, limit } = {}) =>
    (await host.call("map.entries", { map, prefix, limit })) as ReadonlyArray<
      readonly [string, Value]
    >,
});

/** `work` answers when the host hands a job over. */
export function createJobs(host: HostPeer): {
  readonly api: Jobs;
  work(job: JobData, signal: AbortSignal): Promise<void>;
} {
  const workers = new Numbered<JobWorker<never>>();
  return {
    api: {
      async queue(name, options, worker) {
        const queue = workers.add(worker);
        await host.call("queue.open", { queue, name, options });
        return {
          add: (payload, job) => host.call("queue.add", { queue, payload, options: job }),
          cancel: (id) => host.call("queue.cancel", { queue, id }),
          size: () => host.call("queue.size", queue),
          async close() {
            await host.call("queue.close", queue);
            workers.delete(queue);
          },
        };
      },
    },
    async work({ queue, id, attempt, payload, progress }, signal) {
      const worker = workers.get(queue);
      if (!worker) throw new ReeveError("no_worker", "The queue has no worker any more.");
      let latest = progress;
      const job: Job<unknown> = {
        id,
        attempt,
        payload,
        signal,
        get progress() {
          return latest;
        },
        async report(now) {
          await host.call("job.report", { queue, id, progress: now });
          latest = now;
        },
        hold: () => host.call("job.hold", id),
      };
      await worker(job as Job<never>);
    },
  };
}

export function createRuns(host: HostPeer): Runs {
  const runOf = (id: string): Run => ({
    id,
    running: ({ keep = false } = {}) => host.call("run.running", { id, keep }),
    queued: (resume) => host.call("run.queued", { id, resume }),
    leave: () => host.call("run.leave", id),
    output: (stream, data) => host.notify("run.output", { id, stream, data }),
    detail: (detail) => host.call("run.detail", { id, detail }),
    finish: (result) => host.call("run.finish", { id, result }),
  });
  return {
    start: async (run) => runOf(await host.call("run.start", run)),
    get: (id) => host.call("run.get", id),
    list: (filter) => host.call("run.list", filter),
    left: () => host.call("run.left", undefined),
    resume: async (id, resume) =>
      (await host.call("run.resume", { id, resume })) ? runOf(id) : undefined,
  };
}
