/** The commands that are about fenced commands. */
import type { Entry } from "./command.js";

export const sandbox: readonly Entry[] = [
  {
    name: "run",
    summary: "run a command in a sandbox of the daemon",
    load: () => import("./commands/sandbox/run.js"),
  },
  {
    name: "list",
    summary: "list the sandboxes, and what runs in them",
    load: () => import("./commands/sandbox/list.js"),
  },
  {
    name: "logs",
    summary: "show what was asked for, allowed and denied",
    load: () => import("./commands/sandbox/logs.js"),
  },
  {
    name: "stats",
    summary: "count requests by domain",
    load: () => import("./commands/sandbox/stats.js"),
  },
  {
    name: "explain",
    summary: "say which rule decides about a domain or URL",
    load: () => import("./commands/sandbox/explain.js"),
  },
];
