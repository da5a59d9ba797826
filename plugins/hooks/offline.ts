/** What can be told of hooks without a daemon, and what the daemon tells of them, for commands. */
export { readHooks } from "./compat/file/read.js";
export type {
  AskedFor,
  Explained,
  HandRequest,
  HookDetail,
  HookList,
  HookSummary,
  KeptRequest,
  Outcome,
  Rejection,
  Step,
} from "./history/api.js";
export { incomingOf } from "./history/by-hand.js";
export { explainBlock, explainFileHook } from "./history/explain.js";
