/** The commands that are about the running daemon. */
import type { Entry } from "./command.js";

export const online: readonly Entry[] = [
  {
    name: "status",
    summary: "show how the daemon is",
    load: () => import("./commands/status.js"),
  },
  {
    name: "events",
    summary: "show what happens, as it happens",
    load: () => import("./commands/events.js"),
  },
];
