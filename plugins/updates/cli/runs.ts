/** `reeve updates runs`: update runs and their results. */
import {
  controlExits,
  controlOptions,
  count,
  defineCommand,
  Exit,
  relative,
  stateStyle,
  stateWord,
  writeList,
} from "reeve/cli";
import { getUpdates, repositoryArgument } from "./requests.js";

interface UpdateRun {
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
  arguments: [repositoryArgument],
  options: { limit: count("N", "at most this many", { fallback: 20 }), ...controlOptions },
  examples: [
    { command: "reeve updates runs", does: "lists the newest runs" },
    { command: "reeve updates runs acme/site", does: "lists the runs of one repository" },
  ],
  exits: { [Exit.findings]: "there is no such repository", ...controlExits },
  async run(call) {
    const {
      arguments: [repo],
      options,
      output,
      control,
    } = call;
    const query = { repo, limit: options.limit };
    const body = await getUpdates<{ readonly runs: readonly UpdateRun[] }>(control, "/runs", query);
    const now = Date.now();
    const isProposal = ({ kind }: { readonly kind: string }) => kind === "pull_request";
    return writeList(call, body, body.runs, "No runs.", [
      { title: "ID", cell: ({ id }) => String(id), align: "right" },
      { title: "REPOSITORY", cell: (run) => run.repo },
      {
        title: "STATE",
        cell: ({ state }) => stateWord(state),
        paint: (cell, { state }) => output.out.paint(stateStyle(state), cell),
      },
      { title: "WHEN", cell: (run) => relative(Date.parse(run["started-at"]), now) },
      { title: "WHY", cell: ({ trigger }) => trigger, shrink: 12 },
      {
        title: "UPDATES",
        cell: ({ outcomes }) => String(outcomes.filter(isProposal).length),
        align: "right",
      },
      { title: "REASON", cell: ({ reason }) => reason ?? "", priority: 1, shrink: 20 },
    ]);
  },
});
