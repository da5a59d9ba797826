/** `reeve settings watch`: changes as they take effect, and files that were refused. */

import type { DaemonEvent } from "../../../daemon/http/control/api.js";
import type { FileView } from "../../../plugins/settings/effective/api.js";
import type { VersionView } from "../../../plugins/settings/offline.js";
import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { watch } from "../../control/watch.js";
import { defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import type { Channel } from "../../plugin-api/output.js";
import { streamNotices } from "../../print/stream-notices.js";
import { oneLine } from "../../print/text.js";
import { shownPath } from "../../project/files.js";
import { getSettings, nameArgument } from "../../settings/ask.js";
import { changeLines } from "../../settings/show.js";

export const command = defineCommand({
  description:
    "Until it is interrupted. With --json: one event a line, `settings.changed` or `settings.rejected`.",
  arguments: [nameArgument],
  options: controlOptions,
  examples: [
    { command: "reeve settings watch", does: "shows every change" },
    { command: "reeve settings watch zls --json", does: "those of zls, for a program" },
  ],
  exits: { [Exit.findings]: "there are no such settings", ...controlExits },
  async run({ arguments: [name], options, output, signal }) {
    const control = connect(options);
    await getSettings(control, name);
    const remark = streamNotices(output.err);
    for await (const line of watch(control, { signal })) {
      remark(line);
      if (line.line !== "event" || !/^settings\.(changed|rejected)$/.test(line.type)) continue;
      if (name !== undefined && line.data.name !== name) continue;
      const { line: _, ...event } = line;
      if (options.json) output.out.line(JSON.stringify(event));
      else show(output.out, event);
    }
    return Exit.ok;
  },
});

function show(out: Channel, { type, data }: DaemonEvent): void {
  const name = oneLine(String(data.name));
  if (type === "settings.changed") {
    out.line(out.paint("bold", `settings "${name}" version ${data.version}`));
    for (const line of changeLines(data.changed as VersionView["changed"])) out.line(`  ${line}`);
    return;
  }
  const { path, state, findings } = data as unknown as FileView;
  const kept = state === "last_good" ? "; what it said before stays in force" : "";
  const broken = `settings "${name}": ${shownPath(path)} is broken${kept}`;
  out.line(out.paint(["bold", "yellow"], broken));
  for (const { line, column, message } of findings) {
    const where = line === undefined ? "" : `${line}:${column} `;
    out.line(`  ${where}${oneLine(message)}`);
  }
}
