/** `reeve updates why`: why dependencies are updated or not. */
import { controlExits, controlOptions, defineCommand, Exit, writeList } from "reeve/cli";
import { getUpdates, repositoryName } from "./requests.js";

interface DependencyState {
  readonly config: number;
  readonly directory: string;
  readonly name: string;
  readonly kind: string;
  readonly from?: string;
  readonly to?: string;
  readonly number?: number;
  readonly why?: string;
}

export const command = defineCommand({
  description:
    "Asks registries now, changes nothing, and reports what a run would do with each dependency.",
  arguments: [
    { name: "ACCOUNT/NAME", summary: "the repository", required: true },
    { name: "DEPENDENCY", summary: "only this dependency" },
  ],
  options: controlOptions,
  examples: [
    { command: "reeve updates why acme/site", does: "explains all dependencies" },
    { command: "reeve updates why acme/site left-foo", does: "explains one" },
  ],
  exits: {
    [Exit.findings]: "there is no such repository, or it does not use the dependency",
    ...controlExits,
  },
  async run(call) {
    const [repo = "", name] = call.arguments;
    repositoryName(repo);
    const body = await getUpdates<{ readonly dependencies: readonly DependencyState[] }>(
      call.control,
      "/why",
      { repo, name },
    );
    writeList(call, body, body.dependencies, "There is no such dependency.", [
      { title: "DEPENDENCY", cell: (dependency) => dependency.name },
      { title: "DIRECTORY", cell: ({ directory }) => directory, priority: 1 },
      { title: "FROM", cell: ({ from }) => from ?? "" },
      { title: "TO", cell: ({ to }) => to ?? "" },
      {
        title: "WHY",
        cell: ({ why, number }) =>
          number === undefined ? (why ?? "") : `Pull request #${number} is open.`,
        shrink: 30,
      },
    ]);
    return body.dependencies.length > 0 ? Exit.ok : Exit.findings;
  },
});
