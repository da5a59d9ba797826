/** `reeve hook logs`: what commands of hooks print. */
import {
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  flag,
  followLogs,
  followRun,
  logsOf,
  type RunQuery,
} from "reeve/cli";
import { findHook, hookOrRunArgument, looksLikeRun } from "./requests.js";

export const command = defineCommand({
  description:
    "The output of the latest runs, each below a line that says which run it is; of one run only its output. With --follow it goes on: with a run " +
    "until it is over, else until it is interrupted. With --json: one `RunRecord` of the control API a line, when the run is over.",
  arguments: [
    { ...hookOrRunArgument, summary: "the name of a hook, or a run (default: every hook)" },
  ],
  options: {
    follow: flag("go on with what comes", { short: "f" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve hook logs deploy", does: "prints what the latest runs of a hook printed" },
    { command: "reeve hook logs -f", does: "prints what every hook prints, as runs end" },
    {
      command: "reeve hook logs -f 01m80b23e60000vmn35q",
      does: "prints what one run prints, as it comes",
    },
  ],
  exits: { [Exit.findings]: "there is no such hook or run", ...controlExits },
  async run({ arguments: [what], options, output, signal, control }) {
    const { json, follow } = options;
    if (what !== undefined && looksLikeRun(what)) {
      const run = await control.run(what);
      if (follow) await followRun(control, run, { json, output, signal });
      else await logsOf(control, [run], { json, output });
      return Exit.ok;
    }
    const query: RunQuery =
      what === undefined
        ? { kind: "hook", limit: LATEST }
        : { subject: (await findHook(control, what)).subject, limit: LATEST };
    const { runs } = await control.runs(query);
    await logsOf(control, runs.toReversed(), { json, output });
    if (follow) {
      await followLogs(control, query, { json, output, signal });
    }
    return Exit.ok;
  },
});

const LATEST = 10;
