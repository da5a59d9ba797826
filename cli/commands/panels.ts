/** `reeve panels`: the panels of plugins as text. */

import { connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { showPanel } from "../print/panels.js";
import { oneLine } from "../print/text.js";

export const command = defineCommand({
  description: "With --json: the `PanelList` of the control API.",
  arguments: [{ name: "PLUGIN", summary: "only this plugin" }],
  options: controlOptions,
  examples: [
    { command: "reeve panels", does: "shows every plugin's panels" },
    { command: "reeve panels hooks", does: "shows the panels of the hooks plugin" },
  ],
  exits: { [Exit.findings]: "there is no such plugin", ...controlExits },
  async run({ arguments: [wanted], options, output }) {
    const all = (await connect(options).panels()).plugins;
    const plugins = all.filter(({ plugin }) => wanted === undefined || plugin === wanted);
    if (wanted !== undefined && plugins.length === 0) {
      const known = all.map(({ plugin }) => oneLine(plugin)).join(", ");
      throw new Failure(Exit.findings, `no plugin \`${wanted}\` shows anything`, {
        help: known === "" ? undefined : `Panels are shown by: ${known}.`,
      });
    }
    if (options.json) output.json({ plugins });
    else {
      const panels = plugins.flatMap((each) => each.panels);
      for (const [index, panel] of panels.entries()) {
        if (index > 0) output.out.line();
        showPanel(output.out, panel, Date.now());
      }
    }
    return Exit.ok;
  },
});
