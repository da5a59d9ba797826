/** Runs of one plugin instance: those that have not finished are released when it stops. */
import type { LeftRun, NewRun, Run, RunFilter, RunRecord, Runs } from "../../plugin-api/state.js";
import { pluginStoppedError } from "../plugin-stopped.js";

export interface InstanceRuns {
  readonly runs: Runs;
  /** Closes the runs that were started or resumed here and have not ended, or leaves them behind. */
  abandon(): Promise<void>;
}

/** Operations of the run store on behalf of one plugin. */
interface RunOperations {
  start(run: NewRun): Promise<Run>;
  resume(id: string, resume?: unknown): Promise<Run | undefined>;
  left(): readonly LeftRun[];
  get(id: string): RunRecord | undefined;
  list(filter: RunFilter): readonly RunRecord[];
  abandon(id: string): Promise<void>;
}

export function ownedRuns(operations: RunOperations, plugin: string): InstanceRuns {
  const held = new Set<string>();
  let gone = false;
  const hold = (run: Run): Run => {
    held.add(run.id);
    return {
      ...run,
      leave: async () => {
        await run.leave();
        held.delete(run.id);
      },
      finish: async (result) => {
        await run.finish(result);
        held.delete(run.id);
      },
    };
  };
  return {
    runs: {
      start: async (run) => {
        if (gone) throw pluginStoppedError(plugin);
        return hold(await operations.start(run));
      },
      resume: async (id, resume) => {
        if (gone) throw pluginStoppedError(plugin);
        const run = await operations.resume(id, resume);
        return run && hold(run);
      },
      left: async () => operations.left(),
      get: async (id) => operations.get(id),
      list: async (filter = {}) => operations.list(filter),
    },
    abandon: async () => {
      gone = true;
      const last = [...held];
      // Released once: another instance may hold them from now on.
      held.clear();
      await Promise.all(last.map((id) => operations.abandon(id)));
    },
  };
}
