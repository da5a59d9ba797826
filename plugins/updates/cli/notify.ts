/** `reeve updates notify`: announces a release, or previews its effect. */
import {
  controlExits,
  controlOptions,
  countText,
  defineCommand,
  Exit,
  Failure,
  flag,
  writeList,
} from "reeve/cli";
import { postUpdates } from "./requests.js";

interface Impact {
  readonly repo: string;
  readonly directory: string;
  readonly from: string | null;
  readonly "update-type": string;
  readonly automerge: boolean;
  readonly diff: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const command = defineCommand({
  description:
    "Announces a release: every repository that uses the package gets a run at once, which asks the registry. With --dry-run: lists which repositories would change, and how.",
  arguments: [
    { name: "MANAGER", summary: "the package manager: npm_and_yarn, docker, …", required: true },
    { name: "NAME", summary: "the package", required: true },
    { name: "VERSION", summary: "the version (default: the newest)" },
  ],
  options: { dryRun: flag("change nothing"), ...controlOptions },
  examples: [
    { command: "reeve updates notify npm_and_yarn left-foo 2.0.3", does: "announces a release" },
    {
      command: "reeve updates notify npm_and_yarn left-foo 3.0.0 --dry-run",
      does: "lists the repositories that a release would change",
    },
  ],
  exits: controlExits,
  async run(call) {
    const {
      arguments: [manager, name, version],
      options,
      output,
      control,
    } = call;
    const release = { "package-manager": manager, name, ...(version !== undefined && { version }) };
    if (!options.dryRun) {
      const body = await postUpdates<{
        readonly data: { readonly attributes: { readonly "matched-configs": number } };
      }>(control, "/notifications", release);
      const matched = body.data.attributes["matched-configs"];
      if (options.json) output.json(body);
      else output.out.line(`Checking ${countText(matched, "update config")}.`);
      return Exit.ok;
    }
    if (version === undefined) {
      throw new Failure(Exit.usage, "--dry-run needs a version", {
        help: "Name the version that would be released.",
      });
    }
    const body = await postUpdates<{
      readonly data: ReadonlyArray<{ readonly attributes: Impact }>;
    }>(control, "/notifications?dry-run=true", release);
    const impacts = body.data.map(({ attributes }) => attributes);
    return writeList(call, body, impacts, "No repository would change.", [
      { title: "REPOSITORY", cell: ({ repo }) => repo },
      { title: "DIRECTORY", cell: ({ directory }) => directory, priority: 1 },
      { title: "FROM", cell: ({ from }) => from ?? "" },
      { title: "CHANGE", cell: (impact) => impact["update-type"] },
      {
        title: "MANIFEST",
        cell: ({ diff }) => diff.map(({ file, from, to }) => `${file}: ${from} → ${to}`).join(", "),
        shrink: 20,
      },
      { title: "MERGES", cell: ({ automerge }) => (automerge ? "automatically" : "manually") },
    ]);
  },
});
