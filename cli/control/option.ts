/** What every command that talks to the daemon has in common. */
import { json, text } from "../plugin-api/command.js";
import { Exit, exitMeanings } from "../plugin-api/exit.js";

const control = text(
  "PATH",
  "the daemon's control socket (default: REEVE_CONTROL, or the usual places)",
);

/** The options of most of them. */
export const controlOptions = { control, json };

/** Said in the help of each. */
export const controlExits = { [Exit.unavailable]: exitMeanings[Exit.unavailable] };
