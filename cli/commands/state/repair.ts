/** `reeve state repair`: what is missing from the state directory, and its acceptance. */
import { directoriesFor } from "../../../daemon/main/directories.js";
import {
  acceptDamage,
  type DamageFinding,
  exportDamage,
  readDamage,
} from "../../../daemon/main/state-repair.js";
import { defineCommand, flag, text } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { oneLine } from "../../print/text.js";
import { countText, when } from "../../print/units.js";
import { fileArgument } from "../../project/load.js";
import { rootOf } from "../up.js";

const options = {
  state: text("DIR", "the state directory (default: the usual path)"),
  accept: flag("accept the loss: the daemon is no longer degraded by it"),
  export: text("DIR", "copy damaged databases, the journal and the findings to this directory"),
  json: flag("print JSON"),
};

export const command = defineCommand({
  description:
    "Lists acknowledged work that is missing after damage to the disk or the state directory. " +
    "The daemon copies what can be read and is degraded until the loss is accepted. It need not run.",
  arguments: [fileArgument],
  options,
  examples: [
    { command: "reeve state repair", does: "lists what is missing" },
    {
      command: "reeve state repair --export /var/tmp/evidence --accept",
      does: "keeps a copy of the damaged files and accepts the loss",
    },
  ],
  exits: {
    [Exit.findings]: "work is missing, and the loss is not accepted",
    [Exit.noInput]: "the state directory cannot be read",
    [Exit.cannotCreate]: "the copy cannot be written",
  },
  async run({ arguments: [file], options, output }) {
    const { state } = directoriesFor({ root: rootOf(file), state: options.state });
    const findings = attempt(Exit.noInput, `cannot read ${state}`, () => readDamage(state));
    if (options.json) output.json({ state, findings });
    else for (const finding of findings) output.out.line(lineOf(finding));
    const to = options.export;
    if (to !== undefined) {
      const names = attempt(Exit.cannotCreate, `cannot copy to ${to}`, () =>
        exportDamage(state, to),
      );
      output.err.line(`${countText(names.length, "file")} copied to ${to}.`);
    }
    if (findings.length === 0) {
      output.err.line(`Nothing is missing in ${state}.`);
      return Exit.ok;
    }
    if (!options.accept) return Exit.findings;
    const kept = attempt(Exit.cannotCreate, "cannot move the findings", () =>
      acceptDamage(state, Date.now()),
    );
    output.err.line(`Accepted; the findings are in ${kept}.`);
    return Exit.ok;
  },
});

function lineOf({ at, what, runs = [] }: DamageFinding): string {
  const names = runs.length === 0 ? "" : ` Runs: ${runs.join(", ")}.`;
  return oneLine(`${when(at, Date.now())}: ${what}${names}`);
}

function attempt<Result>(exit: 66 | 73, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    throw new Failure(exit, `${what}: ${code}`, { cause: thrown });
  }
}
