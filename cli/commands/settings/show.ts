/** `reeve settings show`: what is in force, and where it comes from. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand, flag } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { getSettings, nameArgument } from "../../settings/ask.js";
import { showSettings } from "../../settings/show.js";

export const command = defineCommand({
  description:
    "Each key with its value and the layer that set it: default, file, workspace or override. " +
    "With --json: what `GET /v1/settings` answers.",
  arguments: [nameArgument],
  options: { set: flag("only keys that somebody has set"), ...controlOptions },
  examples: [
    { command: "reeve settings show", does: "shows all settings of all servers" },
    { command: "reeve settings show zls --set", does: "only what is set for zls" },
  ],
  exits: { [Exit.findings]: "there are no such settings", ...controlExits },
  async run({ arguments: [name], options, output }) {
    const all = await getSettings(connect(options), name);
    if (options.json) output.json({ settings: all });
    else {
      for (const [index, snapshot] of all.entries()) {
        if (index > 0) output.out.line();
        const rows = snapshot.settings.filter(({ origin }) => !options.set || origin !== "default");
        showSettings(output.out, snapshot, rows);
      }
    }
    return Exit.ok;
  },
});
