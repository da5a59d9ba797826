/** `reeve sandbox stats`: a sandbox's requests, counted by domain. */
import { controlExits, controlOptions, defineCommand, Exit } from "reeve/cli";
import { prettyStatistics } from "../offline.js";
import { nameArgument, sandboxPath, withKnownSandbox } from "./requests.js";

type Statistics = Parameters<typeof prettyStatistics>[0];
type Answer = Omit<Statistics, "byDomain"> & {
  readonly byDomain: Readonly<
    Record<string, { readonly allowed: number; readonly denied: number }>
  >;
};

export const command = defineCommand({
  description: "Over what the daemon keeps of the sandbox's log. With --json: the same as data.",
  arguments: [nameArgument],
  options: controlOptions,
  examples: [{ command: "reeve sandbox stats build", does: "counts requests by domain" }],
  exits: { [Exit.findings]: "there is no such sandbox", ...controlExits },
  async run({ arguments: [name = ""], options, output, control }) {
    const answer = await withKnownSandbox(
      control,
      name,
      control.get<Answer>(sandboxPath(name, "stats")),
    );
    if (options.json) output.json(answer);
    else {
      const byDomain = new Map(Object.entries(answer.byDomain));
      output.out.write(prettyStatistics({ ...answer, byDomain }));
    }
    return Exit.ok;
  },
});
