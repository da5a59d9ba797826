/** The commands that are about fenced commands. */
import type { CommandEntry } from "../plugin-api/command.js";

export const sandbox: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run a command in a sandbox of the daemon",
    load: () => import("./sandbox/run.js"),
  },
  {
    name: "list",
    summary: "list the sandboxes, and what runs in them",
    load: () => import("./sandbox/list.js"),
  },
  {
    name: "logs",
    summary: "show what was asked for, allowed and denied",
    load: () => import("./sandbox/logs.js"),
  },
  {
    name: "stats",
    summary: "count requests by domain",
    load: () => import("./sandbox/stats.js"),
  },
  {
    name: "explain",
    summary: "say which rule decides about a domain or URL",
    load: () => import("./sandbox/explain.js"),
  },
];
