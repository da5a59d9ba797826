/** The plugin's blocks of the language, and their types. */
import type { Configuration } from "reeve/plugin";
import { hook } from "./hook.js";
import { hookServer } from "./hook-server.js";
import { hooksFile } from "./hooks-file.js";
import { notify, ping } from "./notify.js";
import { schedule } from "./schedule.js";
import { task } from "./task.js";
import { watch } from "./watch.js";

export const blocks = {
  hook_server: hookServer,
  hook,
  hooks_file: hooksFile,
  schedule,
  watch,
  task,
  notify,
  ping,
};

type Blocks = Configuration<typeof blocks>["blocks"];
export type HooksConfiguration = Configuration<typeof blocks>;
export type HookBlock = Blocks["hook"][number];
export type ScheduleBlock = Blocks["schedule"][number];
export type WatchBlock = Blocks["watch"][number];
export type TaskBlock = Blocks["task"][number];
export type NotifyBlock = Blocks["notify"][number];
export type PingBlock = Blocks["ping"][number];

/** A command with its limits, whatever starts it. */
export interface CommandBlock extends Omit<HookBlock, "values"> {
  readonly values: CommandValues;
}
type CommandValues = Omit<ScheduleBlock["values"], TriggerNames> &
  Pick<HookBlock["values"], "concurrency" | "queue" | "overflow"> &
  Partial<
    Pick<HookBlock["values"], "concurrency_key" | "dedupe" | "durability" | "limit" | "response">
  >;
type TriggerNames = "cron" | "every" | "time_zone" | "jitter" | "catch_up" | "overlap" | "hosts";

export type HooksFileBlock = Blocks["hooks_file"][number];
export type ServerBlock = Blocks["hook_server"][number];
export type VerifyBlock = HookBlock["values"]["verify"][number];
