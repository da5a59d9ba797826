/** The hooks plugin: HTTP requests run commands. */
import { c, definePlugin } from "reeve/plugin";
import { blocks, type ScheduleBlock } from "./blocks/blocks.js";
import { controlRoutes } from "./control/routes.js";
import { HooksInstance } from "./instance.js";
import { migrations } from "./schedules/slot-store.js";

export default definePlugin({
  id: "hooks",
  title: "Hooks",
  api: 1,
  version: "0.1.0",
  doc: "Runs commands for HTTP requests and at scheduled times: verified, checked, bounded, recorded.",
  blocks,
  functions: {
    next: c.function({
      parameters: { schedule: c.ref("schedule"), after: c.string() },
      returns: c.string(),
      doc: "The first time of a schedule after another time; for `test` blocks.",
      run: async (schedule: ScheduleBlock, after: string) => {
        const { nextTime } = await import("./schedules/next-time.js");
        return nextTime(schedule, after);
      },
    }),
  },
  permissions: { net: true, listen: true, exec: true, env: true, read: true },
  isolation: { default: "inline", supports: ["inline", "worker", "process"] },
  migrations,
  validate: async (configuration, check) => {
    const { inspect } = await import("./inspect.js");
    await inspect(configuration, check);
  },
  setup: async (context) => {
    const instance = new HooksInstance(context);
    await context.http.control(controlRoutes(instance.control));
    return instance;
  },
});
