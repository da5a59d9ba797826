/** `reeve settings watch`: changes as they take effect, and files that were refused. */
import {
  type Channel,
  controlExits,
  controlOptions,
  type DaemonEvent,
  defineCommand,
  Exit,
  oneLine,
  shownPath,
  streamNotices,
  watch,
} from "reeve/cli";
import type { FileView } from "../effective/api.js";
import type { VersionView } from "../offline.js";
import { getSettings, nameArgument } from "./requests.js";
import { changeLines } from "./text.js";

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
  async run({ arguments: [name], options, output, signal, control }) {
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
  out.line(out.paint(["bold", "warn"], broken));
  for (const { line, column, message } of findings) {
    const where = line === undefined ? "" : `${line}:${column} `;
    out.line(`  ${where}${oneLine(message)}`);
  }
}
