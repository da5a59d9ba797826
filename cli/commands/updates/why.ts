/** `reeve updates why`: what holds of a dependency, and why it is not updated. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { writeTable } from "../../print/layout.js";
import { getUpdates, repositoryName } from "../../updates/ask.js";

interface DependencyState {
  readonly config: number;
  readonly directory: string;
  readonly name: string;
  readonly kind: string;
  readonly from?: string;
  readonly to?: string;
  readonly pull?: number;
  readonly why?: string;
}

export const command = defineCommand({
  description:
    "Asks registries now, changes nothing, and says of each dependency what a run would say.",
  arguments: [
    { name: "ACCOUNT/NAME", summary: "the repository", required: true },
    { name: "DEPENDENCY", summary: "only of this dependency" },
  ],
  options: controlOptions,
  examples: [
    { command: "reeve updates why acme/site", does: "looks at all dependencies" },
    { command: "reeve updates why acme/site left-foo", does: "looks at one" },
  ],
  exits: {
    [Exit.findings]: "there is no such repository, or it does not use the dependency",
    ...controlExits,
  },
  async run({ arguments: [repo = "", name], options, output }) {
    repositoryName(repo);
    const answer = await getUpdates<{ readonly dependencies: readonly DependencyState[] }>(
      connect(options),
      "/why",
      {
        ...{ repo, name },
      },
    );
    if (options.json) output.json(answer);
    else if (answer.dependencies.length > 0) {
      writeTable(
        output.out,
        [
          { title: "DEPENDENCY", cell: (dependency: DependencyState) => dependency.name },
          { title: "DIRECTORY", cell: ({ directory }: DependencyState) => directory, priority: 1 },
          { title: "FROM", cell: ({ from }: DependencyState) => from ?? "" },
          { title: "TO", cell: ({ to }: DependencyState) => to ?? "" },
          {
            title: "WHY",
            cell: ({ why, pull }: DependencyState) =>
              pull === undefined ? (why ?? "") : `Pull request #${pull} is open.`,
            shrink: 30,
          },
        ],
        answer.dependencies,
      );
    }
    if (answer.dependencies.length > 0) return Exit.ok;
    if (!options.json) output.err.line("There is no such dependency.");
    return Exit.findings;
  },
});
