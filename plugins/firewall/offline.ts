/** What the command line needs to understand what the daemon says of sandboxes. */

export type { DecisionSummary, RunEvent, RunOrder, SandboxSummary } from "./daemon/api.js";
export { RunFrameReader } from "./daemon/frames.js";
export { parseLine } from "./log/parse.js";
export { prettyLine, prettyStatistics } from "./log/render.js";
