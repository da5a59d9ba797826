/** `reeve updates notify`: a version was released, or would be. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand, flag } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { writeTable } from "../../print/layout.js";
import { postUpdates } from "../../updates/ask.js";

interface Impact {
  readonly attributes: {
    readonly repo: string;
    readonly directory: string;
    readonly from: string | null;
    readonly "update-type": string;
    readonly "in-range": boolean;
    readonly automerge: boolean;
    readonly diff: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  };
}

export const command = defineCommand({
  description:
    "Says that a version was released: every repository that uses the package gets a run at once, and the registry has the say. With --dry-run: who would change, and how, if it were.",
  arguments: [
    { name: "MANAGER", summary: "the package manager: npm_and_yarn, docker, …", required: true },
    { name: "NAME", summary: "the package", required: true },
    { name: "VERSION", summary: "the version (default: whatever is newest)" },
  ],
  options: { dryRun: flag("change nothing"), ...controlOptions },
  examples: [
    { command: "reeve updates notify npm_and_yarn left-foo 2.0.3", does: "spreads a release" },
    {
      command: "reeve updates notify npm_and_yarn left-foo 3.0.0 --dry-run",
      does: "lists who a release would concern",
    },
  ],
  exits: controlExits,
  async run({ arguments: [manager, name, version], options, output }) {
    const control = connect(options);
    const body = {
      "package-manager": manager,
      name,
      ...(version === undefined ? {} : { version }),
    };
    if (!options.dryRun) {
      const answer = await postUpdates<{
        readonly data: { readonly attributes: { readonly "matched-configs": number } };
      }>(control, "/notifications", body);
      const matched = answer.data.attributes["matched-configs"];
      if (options.json) output.json(answer);
      else
        output.out.line(`${matched} update config${matched === 1 ? "" : "s"} will be looked at.`);
      return Exit.ok;
    }
    if (version === undefined) {
      throw new Failure(Exit.usage, "--dry-run needs a version", {
        help: "Name the version that would be released.",
      });
    }
    const answer = await postUpdates<{ readonly data: readonly Impact[] }>(
      control,
      "/notifications?dry-run=true",
      body,
    );
    if (options.json) output.json(answer);
    else if (answer.data.length === 0) output.err.line("Nobody uses an older version of it.");
    else {
      writeTable(
        output.out,
        [
          { title: "REPOSITORY", cell: ({ repo }: Impact["attributes"]) => repo },
          {
            title: "DIRECTORY",
            cell: ({ directory }: Impact["attributes"]) => directory,
            priority: 1,
          },
          { title: "FROM", cell: ({ from }: Impact["attributes"]) => from ?? "" },
          { title: "CHANGE", cell: (impact: Impact["attributes"]) => impact["update-type"] },
          {
            title: "MANIFEST",
            cell: ({ diff }: Impact["attributes"]) =>
              diff.map(({ file, from, to }) => `${file}: ${from} → ${to}`).join(", "),
            shrink: 20,
          },
          {
            title: "MERGES",
            cell: ({ automerge }: Impact["attributes"]) => (automerge ? "by itself" : "by hand"),
          },
        ],
        answer.data.map(({ attributes }) => attributes),
      );
    }
    return Exit.ok;
  },
});
