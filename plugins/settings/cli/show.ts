/** `reeve settings show`: what is in force, and where it comes from. */
import { controlExits, controlOptions, defineCommand, Exit, flag } from "reeve/cli";
import { getSettings, nameArgument } from "./requests.js";
import { showSettings } from "./text.js";

export const command = defineCommand({
  description:
    "Each key with its value and the layer that set it: default, file, workspace or override. " +
    "With --json: what `GET /v1/settings` answers.",
  arguments: [nameArgument],
  options: { set: flag("only keys that differ from the default"), ...controlOptions },
  examples: [
    { command: "reeve settings show", does: "shows all settings of all servers" },
    { command: "reeve settings show zls --set", does: "only what is set for zls" },
  ],
  exits: { [Exit.findings]: "there are no such settings", ...controlExits },
  async run({ arguments: [name], options, output, control }) {
    const all = await getSettings(control, name);
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
