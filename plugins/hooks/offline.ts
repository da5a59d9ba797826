/** What can be told of hooks without a daemon, and what the daemon tells of them, for commands. */
export { readHooks } from "./compat/file/read.js";
export type {
  DecisionStep,
  HookDetail,
  HookExplanation,
  HookList,
  HookSummary,
  ManualRequest,
  Rejection,
  RunTrigger,
  StoredRequest,
  TriggerOutcome,
} from "./history/api.js";
export { explainBlock, explainFileHook } from "./history/explain.js";
export { incomingOf } from "./history/manual-trigger.js";
