/** `reeve state restore`: a backup becomes the state directory. */
import { resolve } from "node:path";
import { directoriesFor } from "../../../daemon/main/directories.js";
import { restoreState } from "../../../daemon/main/state-restore.js";
import { defineCommand, flag, json, text } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { countText, when } from "../../print/units.js";
import { fileArgument } from "../../project/load.js";
import { rootOf } from "../up.js";

export const command = defineCommand({
  description:
    "Verifies every file of the backup, then exchanges the state directory for it. No daemon may use the state directory. " +
    "Runs that waited when the backup was made start again.",
  arguments: [
    { name: "BACKUP", summary: "a directory that `reeve state backup` made", required: true },
    fileArgument,
  ],
  options: {
    state: text("DIR", "the state directory (default: the usual path)"),
    replace: flag("keep the present state in a directory beside it; without this, an error"),
    json,
  },
  examples: [
    {
      command: "reeve state restore /var/backups/reeve/today --state /var/lib/reeve",
      does: "makes the backup the state of the daemon that uses this directory",
    },
  ],
  exits: {
    [Exit.noInput]: "the backup is damaged or none, or there is a state already",
    [Exit.unavailable]: "a daemon uses the state directory, or it cannot be written",
  },
  async run({ arguments: [backup = "", file], options, output }) {
    const { state } = directoriesFor({ root: rootOf(file), state: options.state });
    const now = Date.now();
    const from = resolve(backup);
    const { manifest, kept } = await restoreState({
      ...{ from, state, now },
      replace: options.replace,
    });
    const { at, version, files } = manifest;
    if (options.json) output.json({ state, from, at, version, files: files.length, kept });
    else {
      output.out.line(
        `Restored ${countText(files.length, "file")} to ${state}; the backup was made ${when(at, now)}.`,
      );
      if (kept !== undefined) output.out.line(`The previous state is in ${kept}.`);
    }
    return Exit.ok;
  },
});
