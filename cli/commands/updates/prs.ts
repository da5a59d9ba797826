/** `reeve updates prs`: pull requests, and what keeps them from being merged. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { choice, count, defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { writeTable } from "../../print/layout.js";
import { getUpdates, postUpdates } from "../../updates/ask.js";

interface Pull {
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
    "Lists pull requests, newest first, with the reason why one is not merged by itself. With --close: closes one, and its versions are not offered again.",
  arguments: [{ name: "ACCOUNT/NAME", summary: "only of this repository" }],
  options: {
    state: choice(["open", "merged", "closed"], "only in this state"),
    limit: count("N", "at most this many", { fallback: 20 }),
    close: count("ID", "close a pull request"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates prs --state open", does: "lists what is open" },
    { command: "reeve updates prs --close 7", does: "closes one, and ignores its versions" },
  ],
  exits: { [Exit.findings]: "there is no such repository or pull request", ...controlExits },
  async run({ arguments: [repo], options, output }) {
    const control = connect(options);
    if (options.close !== undefined) {
      const answer = await postUpdates<unknown>(control, `/pulls/${options.close}/close`);
      if (options.json) output.json(answer);
      else output.out.line(`Closed the pull request ${options.close}.`);
      return Exit.ok;
    }
    const { state, limit } = options;
    const query = { repo, state, limit };
    const answer = await getUpdates<{ readonly pulls: readonly Pull[] }>(control, "/pulls", query);
    if (options.json) output.json(answer);
    else if (answer.pulls.length === 0) output.err.line("No pull requests.");
    else {
      writeTable(
        output.out,
        [
          { title: "ID", cell: ({ id }: Pull) => String(id), align: "right" },
          { title: "REPOSITORY", cell: ({ repo: name }: Pull) => name },
          { title: "NUMBER", cell: ({ number }: Pull) => `#${number}`, align: "right" },
          { title: "STATE", cell: (pull: Pull) => pull.state },
          { title: "TITLE", cell: ({ title }: Pull) => title, shrink: 20 },
          {
            title: "MERGE",
            cell: (pull: Pull) => pull["automerge-reason"] ?? pull.automerge,
            priority: 1,
            shrink: 20,
          },
        ],
        answer.pulls,
      );
    }
    return Exit.ok;
  },
});
