/** `reeve hook runs`: what hooks ran. */
import {
  choice,
  controlExits,
  controlOptions,
  count,
  defineCommand,
  Exit,
  Failure,
  type RunQuery,
  runColumns,
  runStates,
  text,
  writeTable,
} from "reeve/cli";
import { findHook, hookArgument } from "./requests.js";

export const command = defineCommand({
  description:
    "The newest runs of one hook, or of all. `reeve hook show RUN` has everything about one. With --json: the `RunList` of the control API.",
  arguments: [hookArgument],
  options: {
    state: choice(runStates, "only in this state"),
    limit: count("N", "at most this many", { fallback: 20 }),
    before: text("ID", "only runs older than this"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve hook runs", does: "lists the newest runs of all hooks" },
    { command: "reeve hook runs deploy --state failed", does: "lists failures of one hook" },
  ],
  exits: { [Exit.findings]: "there is no such hook", ...controlExits },
  async run({ arguments: [name], options, output, control }) {
    const { state, limit, before } = options;
    if (limit < 1 || limit > 1000) {
      throw new Failure(Exit.usage, "--limit is a number from 1 to 1000");
    }
    const query: RunQuery = {
      ...(name === undefined
        ? { kind: "hook" }
        : { subject: (await findHook(control, name)).subject }),
      ...(state !== undefined && { state }),
      ...(before !== undefined && { before }),
      limit,
    };
    const list = await control.runs(query);
    if (options.json) output.json(list);
    else if (list.runs.length === 0) output.err.line("No runs.");
    else writeTable(output.out, runColumns(output.out, Date.now(), list.runs), list.runs);
    if (list.next !== undefined && output.out.isTerminal) {
      output.err.line(`Older runs: --before ${list.next}`);
    }
    return Exit.ok;
  },
});
