/** `reeve updates repos`: the repositories there are. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand, text } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { writeTable } from "../../print/layout.js";
import { getUpdates, postUpdates, repositoryName } from "../../updates/ask.js";

interface Repo {
  readonly id: number;
  readonly name: string;
  readonly configs: number;
  readonly branch: string;
  readonly url: string;
  readonly configFile: string | null;
}

export const command = defineCommand({
  description:
    "Lists repositories with the number of their update configs. With --add: makes an empty one on the daemon's own code host and prints the address to push to.",
  arguments: [{ name: "ACCOUNT", summary: "only of this account" }],
  options: {
    add: text("ACCOUNT/NAME", "make a repository"),
    branch: text("BRANCH", "the default branch of the new one", { fallback: "main" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates repos acme", does: "lists the repositories of acme" },
    { command: "reeve updates repos --add acme/site", does: "makes the repository acme/site" },
  ],
  exits: {
    [Exit.findings]: "there is no such account, or such a repository already",
    ...controlExits,
  },
  async run({ arguments: [account], options, output }) {
    const control = connect(options);
    if (options.add !== undefined) {
      const { branch } = options;
      const made = await postUpdates<Repo>(control, "/repos", {
        ...repositoryName(options.add),
        branch,
      });
      if (options.json) output.json(made);
      else output.out.line(made.url);
      return Exit.ok;
    }
    const answer = await getUpdates<{ readonly repos: readonly Repo[] }>(control, "/repos", {
      account,
    });
    if (options.json) output.json(answer);
    else if (answer.repos.length === 0) output.err.line("No repositories.");
    else {
      writeTable(
        output.out,
        [
          { title: "ID", cell: ({ id }: Repo) => String(id), align: "right" },
          { title: "REPOSITORY", cell: ({ name }: Repo) => name },
          { title: "CONFIGS", cell: ({ configs }: Repo) => String(configs), align: "right" },
          { title: "BRANCH", cell: ({ branch }: Repo) => branch },
          { title: "FROM", cell: ({ configFile }: Repo) => configFile ?? "", priority: 2 },
          { title: "URL", cell: ({ url }: Repo) => url, priority: 1, shrink: 20 },
        ],
        answer.repos,
      );
    }
    return Exit.ok;
  },
});
