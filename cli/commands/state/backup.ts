/** `reeve state backup`: a consistent copy of the state directory, with and without a running daemon. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ReeveError } from "../../../daemon/errors.js";
import type { BackupResult } from "../../../daemon/http/control/api.js";
import { directoriesFor } from "../../../daemon/main/directories.js";
import { lockDirectory } from "../../../daemon/main/lock.js";
import { backUp, defaultBackup } from "../../../daemon/main/state-restore.js";
import type { Control } from "../../control/client.js";
import { controlOptions } from "../../control/option.js";
import { ControlError } from "../../control/problem.js";
import { defineCommand, text } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { countText, size } from "../../print/units.js";
import { version } from "../../program/version.js";
import { rootOf } from "../up.js";

const options = {
  to: text(
    "DIR",
    "a new directory for the copy (default: one below `backups` in the state directory)",
  ),
  state: text("DIR", "the state directory (default: the running daemon's, or the usual path)"),
  ...controlOptions,
};

export const command = defineCommand({
  description:
    "Copies runs, queues, the journal and what plugins keep, as they are at one moment. The daemon may run: it makes the copy " +
    "itself and goes on meanwhile, so its user needs the right to write there. A shared PostgreSQL database is not in the copy.",
  options,
  examples: [
    { command: "reeve state backup", does: "copies to a new directory below the state directory" },
    {
      command: "reeve state backup --to /var/backups/reeve/today",
      does: "copies to this directory",
    },
  ],
  exits: {
    [Exit.noInput]: "there is no state directory",
    [Exit.unavailable]: "another daemon uses the state directory and does not answer",
    [Exit.cannotCreate]: "the copy cannot be written",
  },
  async run({ options, output, control }) {
    const to = options.to === undefined ? undefined : resolve(options.to);
    const result = await copy(to, options.state, control);
    if (options.json) output.json(result);
    else {
      const { files, bytes } = result;
      output.out.line(`Copied ${countText(files, "file")} (${size(bytes)}) to ${result.to}.`);
    }
    return Exit.ok;
  },
});

async function copy(
  to: string | undefined,
  named: string | undefined,
  control: Control,
): Promise<BackupResult> {
  const { state } = directoriesFor({ root: rootOf(), state: named });
  const used = await control.status().then(
    ({ stateDirectory }) => stateDirectory,
    () => undefined,
  );
  if (used !== undefined && (named === undefined || used === state)) {
    return await control.backup(to).catch((thrown: unknown) => {
      throw thrown instanceof ControlError
        ? new Failure(Exit.cannotCreate, thrown.message, { help: thrown.help })
        : thrown;
    });
  }
  if (!existsSync(state)) {
    throw new Failure(Exit.noInput, `there is no state directory ${state}`, {
      help: "Name it with `--state DIR`, or the control socket of the running daemon with `--control PATH`.",
    });
  }
  const unlock = lockUnused(state);
  try {
    const now = Date.now();
    const target = to ?? defaultBackup(state, now);
    const { files } = await backUp({ state, to: target, version: version(), now });
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return { to: target, files: files.length, bytes };
  } finally {
    unlock();
  }
}

function lockUnused(state: string): () => void {
  try {
    return lockDirectory(state);
  } catch (thrown) {
    if (!(thrown instanceof ReeveError && thrown.code === "already_running")) throw thrown;
    throw new Failure(
      Exit.unavailable,
      `the daemon that uses ${state} does not answer on its control socket`,
      { help: "Name the socket with `--control PATH`." },
    );
  }
}
