/** `reeve updates runs`: when it was looked for updates, and what came of it. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { count, defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { stateStyle, stateWord, writeTable } from "../../print/layout.js";
import { relative } from "../../print/units.js";
import { getUpdates } from "../../updates/ask.js";

interface Run {
  readonly id: number;
  readonly repo: string;
  readonly trigger: string;
  readonly state: string;
  readonly reason: string | null;
  readonly "started-at": string;
  readonly outcomes: readonly { readonly kind: string }[];
}

export const command = defineCommand({
  description: "Lists runs, newest first. With --json: with the outcome for each dependency.",
  arguments: [{ name: "ACCOUNT/NAME", summary: "only of this repository" }],
  options: { limit: count("N", "at most this many", { fallback: 20 }), ...controlOptions },
  examples: [
    { command: "reeve updates runs", does: "lists the newest runs" },
    { command: "reeve updates runs acme/site", does: "lists those of one repository" },
  ],
  exits: { [Exit.findings]: "there is no such repository", ...controlExits },
  async run({ arguments: [repo], options, output }) {
    const { limit } = options;
    const answer = await getUpdates<{ readonly runs: readonly Run[] }>(connect(options), "/runs", {
      ...{ repo, limit },
    });
    if (options.json) output.json(answer);
    else if (answer.runs.length === 0) output.err.line("No runs.");
    else {
      const now = Date.now();
      writeTable(
        output.out,
        [
          { title: "ID", cell: ({ id }: Run) => String(id), align: "right" },
          { title: "REPOSITORY", cell: ({ repo: name }: Run) => name },
          {
            title: "STATE",
            cell: ({ state }: Run) => stateWord(state),
            paint: (cell: string, { state }: Run) => output.out.paint(stateStyle(state), cell),
          },
          { title: "WHEN", cell: (run: Run) => relative(Date.parse(run["started-at"]), now) },
          { title: "WHY", cell: ({ trigger }: Run) => trigger, shrink: 12 },
          {
            title: "UPDATES",
            cell: ({ outcomes }: Run) =>
              String(outcomes.filter(({ kind }) => kind === "pull_request").length),
            align: "right",
          },
          { title: "REASON", cell: ({ reason }: Run) => reason ?? "", priority: 1, shrink: 20 },
        ],
        answer.runs,
      );
    }
    return Exit.ok;
  },
});
