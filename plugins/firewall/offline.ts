/** What the command line needs to understand what the daemon says of sandboxes. */
export { FrameReader } from "./daemon/frames.js";
export type { RunEvent, RunOrder, ToldDecision, ToldSandbox } from "./daemon/told.js";
export { parseLine } from "./log/parse.js";
export { prettyLine, prettyStatistics } from "./log/render.js";
