/** The hooks plugin on a disk that refuses the runs of a block. */
import { definePlugin, type PluginContext, type PluginDefinition } from "reeve/plugin";
import hooks from "../plugin.js";
import { notAccepted } from "../tasks/task-chain.js";

export interface FullDisk {
  isFull: boolean;
  /** Whether there is room, but the disk does not confirm what was written. */
  readonly isRecorded?: boolean;
}

export function withoutRoomFor(subject: string, disk: FullDisk): PluginDefinition {
  const setup = (context: PluginContext): unknown => {
    const start: PluginContext["runs"]["start"] = async (wanted) => {
      if (!disk.isFull || wanted.subject !== subject) return context.runs.start(wanted);
      if (disk.isRecorded) {
        const run = await context.runs.start(wanted);
        await run.finish({ state: "cancelled", reason: notAccepted });
      }
      throw new Error("No space left on device.");
    };
    return hooks.setup({ ...context, runs: { ...context.runs, start } });
  };
  return definePlugin({ ...hooks, setup: setup as never }) as unknown as PluginDefinition;
}
