/** Every command by its name. A command is loaded only when it is used. */
import type { Entry } from "./command.js";
import { online } from "./commands-online.js";

export const commands: readonly Entry[] = [
  {
    name: "check",
    summary: "say what is wrong with a configuration, and run its tests",
    load: () => import("./commands/check.js"),
  },
  ...online,
];
