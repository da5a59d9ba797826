/** What commands and the dashboard use of the plugin: the types of the control API. */
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
