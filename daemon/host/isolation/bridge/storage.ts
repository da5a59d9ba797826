/** The host's end of the map store, jobs and runs. */
import type { PluginContext } from "../../../plugin-api/context.js";
import type { Job, Queue, Run } from "../../../plugin-api/state.js";
import { type BridgePart, Handles, type PluginPeer } from "./plugin-peer.js";

export function maps({
  store,
}: PluginContext): BridgePart<"map.get" | "map.set" | "map.delete" | "map.entries"> {
  return {
    "map.get": ({ map, key }) => store.map(map).get(key),
    "map.set": ({ map, key, value }) => store.map(map).set(key, value),
    "map.delete": ({ map, key }) => store.map(map).delete(key),
    "map.entries": ({ map, prefix, limit }) =>
      store.map(map).entries({
        ...(prefix === undefined ? {} : { prefix }),
        ...(limit === undefined ? {} : { limit }),
      }),
  };
}

type JobMethods =
  | "queue.open"
  | "queue.add"
  | "queue.cancel"
  | "queue.size"
  | "queue.close"
  | "job.report"
  | "job.hold";

export function queues({ jobs }: PluginContext, peer: () => PluginPeer): BridgePart<JobMethods> {
  const open = new Handles<number, Queue<unknown>>("queue");
  const working = new Handles<string, Job<unknown>>("job at work");
  return {
    async "queue.open"({ queue, name, options }) {
      const work = async (job: Job<unknown>): Promise<void> => {
        const { id, attempt, payload, progress, signal } = job;
        working.set(id, job);
        try {
          await peer().call("job", { queue, id, attempt, payload, progress }, signal);
        } finally {
          working.delete(id);
        }
      };
      open.set(queue, await jobs.queue(name, options, work));
    },
    "queue.add": ({ queue, payload, options }) => open.get(queue).add(payload, options),
    "queue.cancel": ({ queue, id }) => open.get(queue).cancel(id),
    "queue.size": (queue) => open.get(queue).size(),
    async "queue.close"(queue) {
      await open.get(queue).close();
      open.delete(queue);
    },
    "job.report": ({ id, progress }) => working.get(id).report(progress),
    "job.hold": (id) => working.get(id).hold(),
  };
}

type RunMethods =
  | "run.start"
  | "run.get"
  | "run.list"
  | "run.left"
  | "run.resume"
  | "run.running"
  | "run.queued"
  | "run.leave"
  | "run.output"
  | "run.detail"
  | "run.finish";

export function records({ runs }: PluginContext): BridgePart<RunMethods> {
  const active = new Handles<string, Run>("active run");
  return {
    async "run.start"(run) {
      const started = await runs.start(run);
      active.set(started.id, started);
      return started.id;
    },
    "run.get": (id) => runs.get(id),
    "run.list": (filter) => runs.list(filter),
    "run.left": () => runs.left(),
    async "run.resume"({ id, resume }) {
      const run = await runs.resume(id, resume);
      if (run) active.set(id, run);
      return run !== undefined;
    },
    "run.running": ({ id, keep }) => active.get(id).running({ keep }),
    "run.queued": ({ id, resume }) => active.get(id).queued(resume),
    async "run.leave"(id) {
      await active.get(id).leave();
      active.delete(id);
    },
    "run.output": ({ id, stream, data }) => active.find(id)?.output(stream, data),
    "run.detail": ({ id, detail }) => active.get(id).detail(detail),
    async "run.finish"({ id, result }) {
      await active.get(id).finish(result);
      active.delete(id);
    },
  };
}
