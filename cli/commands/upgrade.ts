/** `reeve upgrade --check`: what the first start of this version changes in a state directory. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { directoriesFor } from "../../daemon/main/directories.js";
import { stateSteps, type TableSteps } from "../../daemon/main/state-upgrade.js";
import type { Control } from "../control/client.js";
import { controlOptions } from "../control/option.js";
import { defineCommand, flag, text } from "../plugin-api/command.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import type { Channel } from "../plugin-api/output.js";
import { writePairs } from "../print/layout.js";
import { oneLine } from "../print/text.js";
import { countText } from "../print/units.js";
import { version } from "../program/version.js";
import { reasonOf } from "../project/files.js";
import { fileArgument, pluginCatalog } from "../project/load.js";
import { rootOf } from "./up.js";

export const command = defineCommand({
  description:
    "Compares the tables in the state directory with those of this version, without a change; the daemon, also of another version, may run. " +
    "Lists the steps that the first start of this version takes, and says whether an earlier version can run afterwards. " +
    "Tables of plugins that the configuration declares and a shared PostgreSQL database are not compared.",
  arguments: [fileArgument],
  options: {
    check: flag("required: say what would change, and change nothing"),
    state: text("DIR", "the state directory (default: the running daemon's, or the usual path)"),
    ...controlOptions,
  },
  examples: [
    {
      command: "reeve upgrade --check --state /var/lib/reeve",
      does: "exits with 0 if this version changes no table there",
    },
  ],
  exits: {
    [Exit.ok]: "nothing changes; an earlier version with the same tables can run again",
    [Exit.findings]: "the first start takes steps that an earlier version refuses",
    [Exit.noInput]: "there is no state directory, or it cannot be read",
    [Exit.unavailable]: "a newer version wrote the state, and this one refuses it",
  },
  async run({ arguments: [file], options, output, control }) {
    if (!options.check) {
      throw new Failure(Exit.usage, "`reeve upgrade` needs `--check`: it installs nothing", {
        help: "Install the newer package as docs/install.md says; its first start migrates the state.",
      });
    }
    const state = await stateDirectory(file, options.state, control);
    const found = await compare(state);
    const exit = verdict(found);
    const canGoBack = exit === Exit.ok;
    if (options.json) output.json({ state, version: version(), tables: found, canGoBack });
    else show(output.out, state, found, exit);
    return exit;
  },
});

async function stateDirectory(
  file: string | undefined,
  named: string | undefined,
  control: Control,
): Promise<string> {
  const usual = directoriesFor({ root: rootOf(file), state: named }).state;
  if (named !== undefined || file !== undefined) return usual;
  return control.status().then(
    ({ stateDirectory: used }) => used,
    () => usual,
  );
}

async function compare(state: string): Promise<readonly TableSteps[]> {
  const catalog = await pluginCatalog();
  const { plugins } = await catalog.bind([], dirname(state));
  const steps = plugins.map(
    ({ description: { id, migrations = [] } }) => [id, migrations] as const,
  );
  if (!existsSync(state)) throw unreadable(state, "it does not exist");
  try {
    const found = stateSteps(state, new Map(steps));
    if (found.length > 0) return found;
  } catch (thrown) {
    throw unreadable(state, reasonOf(thrown));
  }
  throw unreadable(state, "it has no reeve.db");
}

const unreadable = (state: string, why: string): Failure =>
  new Failure(Exit.noInput, `the state directory ${oneLine(state)} cannot be compared: ${why}`, {
    help: "Name another one with `--state DIR`, or run this as the daemon's user.",
  });

function verdict(found: readonly TableSteps[]): ExitCode {
  if (found.some(({ unknown }) => unknown.length > 0)) return Exit.unavailable;
  return found.some(({ missing }) => missing.length > 0) ? Exit.findings : Exit.ok;
}

function show(out: Channel, state: string, found: readonly TableSteps[], exit: ExitCode): void {
  out.line(`reeve ${version()} compared with ${oneLine(state)}:`);
  out.line();
  writePairs(
    out,
    found.map((each) => [each.file, stepsText(each)] as const),
  );
  out.line();
  out.line(conclusion(found, exit));
}

function stepsText({ done, missing, unknown }: TableSteps): string {
  if (unknown.length > 0) return `of a newer version: ${unknown.map(oneLine).join(", ")}`;
  if (missing.length === 0) return `up to date, ${countText(done, "step")}`;
  return `${done} of ${done + missing.length} steps; missing: ${missing.map(oneLine).join("; ")}`;
}

function conclusion(found: readonly TableSteps[], exit: ExitCode): string {
  if (exit === Exit.unavailable) {
    return "A newer version wrote this state, and this one does not start on it. Install that version again, or restore a backup that this version made.";
  }
  if (exit === Exit.ok) {
    return "Nothing changes: an earlier version with the same tables can run on this state again.";
  }
  const count = found.reduce((sum, { missing }) => sum + missing.length, 0);
  return `The first start of this version takes ${countText(count, "step")}. An earlier version refuses the state from then on: to be able to go back, run \`reeve state backup\` first.`;
}
