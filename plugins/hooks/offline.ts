/** What commands and the dashboard use of the plugin: explanations without a daemon, and the types of the control API. */
export { readHooks } from "./compat/file/read.js";
export { explainBlock, explainFileHook } from "./control/explain.js";
export { incomingOf } from "./control/manual-trigger.js";
export type {
  DecisionStep,
  HookDetail,
  HookExplanation,
  HookList,
  HookSummary,
  ManualRequest,
  Rejection,
  RunTrigger,
  ScheduleList,
  ScheduleSummary,
  StoredRequest,
  TaskList,
  TaskSummary,
  TriggerOutcome,
  WatchList,
  WatchSummary,
} from "./evidence/api.js";
