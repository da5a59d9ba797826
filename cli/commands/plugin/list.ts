/** `reeve plugin list`: plugins, their permissions and their state. */
import type { PluginStatus } from "../../../daemon/http/control/api.js";
import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand, flag } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import type { Channel } from "../../plugin-api/output.js";
import { type Pair, writePairs, writeTable } from "../../print/layout.js";
import { permissionTexts, pluginColumns } from "../../print/plugins.js";
import { oneLine } from "../../print/text.js";
import { when } from "../../print/units.js";

export const command = defineCommand({
  description: "With --json: the `PluginList` of the control API.",
  options: { permissions: flag("also permissions and the last failure"), ...controlOptions },
  examples: [
    { command: "reeve plugin list", does: "lists the plugins that run" },
    { command: "reeve plugin list --permissions", does: "lists them with their permissions" },
  ],
  exits: controlExits,
  async run({ options, output }) {
    const list = await connect(options).plugins();
    if (options.json) output.json(list);
    else if (list.plugins.length === 0) output.err.line("No plugins run.");
    else {
      writeTable(output.out, pluginColumns(output.out, Date.now()), list.plugins);
      if (options.permissions) for (const plugin of list.plugins) showMore(output.out, plugin);
    }
    return Exit.ok;
  },
});

function showMore(out: Channel, { id, title, permissions, failure }: PluginStatus): void {
  out.line();
  out.line(`${out.paint("bold", oneLine(id))}  ${oneLine(title)}`);
  const last = failure && `${oneLine(failure.reason)} ${when(failure.at, Date.now())}`;
  const pairs: readonly Pair[] = [...permissionTexts(permissions), ["last failure", last]];
  writePairs(out, pairs, "  ");
}
