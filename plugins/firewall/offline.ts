/** What `reeve sandbox` needs to read the control API. */

export type { DecisionSummary, RunEvent, RunOrder, SandboxSummary } from "./daemon/api.js";
export { type RunFrame, RunFrameReader } from "./daemon/frames.js";
export { parseLine } from "./log/parse.js";
export { prettyLine, prettyStatistics } from "./log/render.js";
export type { QuestionSummary } from "./proxy/question-board.js";
