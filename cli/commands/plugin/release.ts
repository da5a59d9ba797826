/** `reeve plugin release`: releases a plugin from quarantine. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { pluginArgument, showPlugin } from "../../print/plugins.js";

export const command = defineCommand({
  description:
    "A plugin that failed too often, or crashed the daemon, is quarantined: it stays down until it is released. " +
    "With --json: the `PluginStatus` of the control API.",
  arguments: [pluginArgument],
  options: controlOptions,
  examples: [{ command: "reeve plugin release backup", does: "starts it again" }],
  exits: { [Exit.findings]: "there is no such plugin, or it does not start", ...controlExits },
  async run({ arguments: [id = ""], options, output }) {
    return showPlugin(await connect(options).release(id), options.json, output);
  },
});
