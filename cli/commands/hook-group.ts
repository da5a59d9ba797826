/** The commands that are about hooks. */
import type { CommandGroup } from "../plugin-api/command.js";

export const hook: CommandGroup = {
  name: "hook",
  summary: "see what hooks do and decide, run them by hand, bring those of another server along",
  entries: [
    {
      name: "list",
      summary: "list the hooks with their calls and how they did",
      load: () => import("./hook/list.js"),
    },
    {
      name: "runs",
      summary: "list what hooks ran",
      load: () => import("./hook/runs.js"),
    },
    {
      name: "show",
      summary: "show a hook and whom it refused, or a run and what led to it",
      load: () => import("./hook/show.js"),
    },
    {
      name: "logs",
      summary: "print what commands of hooks print",
      load: () => import("./hook/logs.js"),
    },
    {
      name: "explain",
      summary: "say what a hook makes of a request, and why",
      load: () => import("./hook/explain.js"),
    },
    {
      name: "trigger",
      summary: "run a hook with a request by hand",
      load: () => import("./hook/trigger.js"),
    },
    {
      name: "replay",
      summary: "send the request of a run through its hook once more",
      load: () => import("./hook/replay.js"),
    },
    {
      name: "cancel",
      summary: "end a run that waits or goes on",
      load: () => import("./hook/cancel.js"),
    },
    {
      name: "convert",
      summary: "write a hooks file in the language",
      load: () => import("./hook/convert.js"),
    },
  ],
};
