/** `reeve updates repos`: repositories. */
import { controlExits, controlOptions, defineCommand, Exit, text, writeList } from "reeve/cli";
import { getUpdates, postUpdates, repositoryName } from "./requests.js";

interface Repository {
  readonly id: number;
  readonly name: string;
  readonly configs: number;
  readonly branch: string;
  readonly url: string;
  readonly configFile: string | null;
}

export const command = defineCommand({
  description:
    "Lists repositories with the number of their update configs. With --add: creates an empty one on the daemon's own code host and prints the address to push to.",
  arguments: [{ name: "ACCOUNT", summary: "only this account" }],
  options: {
    add: text("ACCOUNT/NAME", "create a repository"),
    branch: text("BRANCH", "the default branch of the new one", { fallback: "main" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates repos acme", does: "lists the repositories of acme" },
    { command: "reeve updates repos --add acme/site", does: "creates the repository acme/site" },
  ],
  exits: {
    [Exit.findings]: "there is no such account, or the repository exists already",
    ...controlExits,
  },
  async run(call) {
    const {
      arguments: [account],
      options,
      output,
      control,
    } = call;
    if (options.add !== undefined) {
      const repository = { ...repositoryName(options.add), branch: options.branch };
      const created = await postUpdates<Repository>(control, "/repos", repository);
      if (options.json) output.json(created);
      else output.out.line(created.url);
      return Exit.ok;
    }
    const body = await getUpdates<{ readonly repos: readonly Repository[] }>(control, "/repos", {
      account,
    });
    return writeList(call, body, body.repos, "No repositories.", [
      { title: "ID", cell: ({ id }) => String(id), align: "right" },
      { title: "REPOSITORY", cell: ({ name }) => name },
      { title: "CONFIGS", cell: ({ configs }) => String(configs), align: "right" },
      { title: "BRANCH", cell: ({ branch }) => branch },
      { title: "FROM", cell: ({ configFile }) => configFile ?? "", priority: 2 },
      { title: "URL", cell: ({ url }) => url, priority: 1, shrink: 20 },
    ]);
  },
});
