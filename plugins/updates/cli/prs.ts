/** `reeve updates prs`: pull requests, and why they are not merged yet. */
import {
  choice,
  controlExits,
  controlOptions,
  count,
  defineCommand,
  Exit,
  writeList,
} from "reeve/cli";
import { getUpdates, postUpdates, repositoryArgument } from "./requests.js";

interface PullSummary {
  readonly id: number;
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly automerge: string;
  readonly "automerge-reason": string | null;
}

export const command = defineCommand({
  description:
    "Lists pull requests, newest first, with the reason why one is not merged automatically. With --close: closes one; its versions and older ones are not offered again.",
  arguments: [repositoryArgument],
  options: {
    state: choice(["open", "merged", "closed"], "only in this state"),
    limit: count("N", "at most this many", { fallback: 20 }),
    close: count("ID", "close a pull request"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates prs --state open", does: "lists open pull requests" },
    { command: "reeve updates prs --close 7", does: "closes one and refuses its versions" },
  ],
  exits: { [Exit.findings]: "there is no such repository or pull request", ...controlExits },
  async run(call) {
    const {
      arguments: [repo],
      options,
      output,
      control,
    } = call;
    if (options.close !== undefined) {
      const body = await postUpdates<unknown>(control, `/pulls/${options.close}/close`);
      if (options.json) output.json(body);
      else output.out.line(`Closed the pull request ${options.close}.`);
      return Exit.ok;
    }
    const body = await getUpdates<{ readonly pulls: readonly PullSummary[] }>(control, "/pulls", {
      ...{ repo, state: options.state, limit: options.limit },
    });
    return writeList(call, body, body.pulls, "No pull requests.", [
      { title: "ID", cell: ({ id }) => String(id), align: "right" },
      { title: "REPOSITORY", cell: (pull) => pull.repo },
      { title: "NUMBER", cell: ({ number }) => `#${number}`, align: "right" },
      { title: "STATE", cell: ({ state }) => state },
      { title: "TITLE", cell: ({ title }) => title, shrink: 20 },
      {
        title: "MERGE",
        cell: (pull) => pull["automerge-reason"] ?? pull.automerge,
        priority: 1,
        shrink: 20,
      },
    ]);
  },
});
