/** `reeve plugin restart`: a new instance of one plugin. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { pluginArgument, showPlugin } from "../../print/plugins.js";

export const command = defineCommand({
  description:
    "The new instance is prepared with the configuration that runs, beside the old one, before it takes over. " +
    "With --json: the `PluginStatus` of the control API.",
  arguments: [pluginArgument],
  options: controlOptions,
  examples: [{ command: "reeve plugin restart hooks", does: "restarts the hooks plugin" }],
  exits: { [Exit.findings]: "there is no such plugin, or it does not start", ...controlExits },
  async run({ arguments: [id = ""], options, output }) {
    return showPlugin(await connect(options).restart(id), options.json, output);
  },
});
