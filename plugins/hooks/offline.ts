/** What can be told of hooks without a daemon, and what the daemon tells of them, for commands. */
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
  StoredRequest,
  TriggerOutcome,
} from "./evidence/api.js";
