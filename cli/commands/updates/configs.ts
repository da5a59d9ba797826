/** `reeve updates configs`: what is kept up to date, and how. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { choice, count, defineCommand, flag, text } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import type { Channel } from "../../plugin-api/output.js";
import { writeTable } from "../../print/layout.js";
import { getUpdates, postUpdates, repositoryName } from "../../updates/ask.js";

const RULES = [
  "never",
  "security:patch",
  "semver:patch",
  "semver:minor",
  "in_range",
  "all",
] as const;

interface Config {
  readonly id: number;
  readonly repo: string;
  readonly "package-manager": string;
  readonly directory: string;
  readonly "update-schedule": string;
  readonly "automerge-rule-runtime-deps": string;
  readonly "automerge-rule-development-deps": string;
  readonly trouble: string | null;
}

export const command = defineCommand({
  description:
    "Lists update configs. With --add: makes one, and its first run starts at once. With --run: looks for updates now.",
  arguments: [{ name: "ACCOUNT/NAME", summary: "only of this repository" }],
  options: {
    add: text("ACCOUNT/NAME", "make a config for this repository"),
    manager: text("NAME", "the package manager of the new one: npm_and_yarn, docker, …"),
    directory: text("PATH", "where its manifests are", { fallback: "/" }),
    schedule: choice(["live", "daily", "weekly", "monthly"], "when it looks for updates", {
      fallback: "live",
    }),
    runtime: choice(RULES, "which updates of runtime dependencies merge by themselves", {
      fallback: "never",
    }),
    development: choice(RULES, "which updates of development dependencies merge by themselves", {
      fallback: "never",
    }),
    lockfileOnly: flag("leave manifests alone"),
    securityOnly: flag("only fixes of known holes"),
    remove: count("ID", "remove a config"),
    run: count("ID", "look for updates now"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates configs", does: "lists all configs" },
    {
      command:
        "reeve updates configs --add acme/site --manager npm_and_yarn --runtime semver:patch",
      does: "keeps acme/site up to date, and merges patches by itself",
    },
    { command: "reeve updates configs --run 1", does: "looks for updates of the config 1" },
  ],
  exits: { [Exit.findings]: "there is no such repository or config", ...controlExits },
  async run({ arguments: [repo], options, output }) {
    const control = connect(options);
    if (options.add !== undefined) {
      repositoryName(options.add);
      if (options.manager === undefined) {
        throw new Failure(Exit.usage, "--add needs --manager", {
          help: "Name the package manager: --manager npm_and_yarn.",
        });
      }
      const made = await postUpdates<{ readonly id: string }>(control, "/configs", {
        repo: options.add,
        "package-manager": options.manager,
        directory: options.directory,
        "update-schedule": options.schedule,
        "automerge-rule-runtime-deps": options.runtime,
        "automerge-rule-development-deps": options.development,
        "lockfile-only": options.lockfileOnly,
        "security-updates-only": options.securityOnly,
      });
      if (options.json) output.json(made);
      else output.out.line(`Made the update config ${made.id}.`);
      return Exit.ok;
    }
    for (const [id, verb, done] of [
      [options.remove, "remove", "Removed the update config"],
      [options.run, "run", "Looking for updates of the config"],
    ] as const) {
      if (id === undefined) continue;
      const answer = await postUpdates<unknown>(control, `/configs/${id}/${verb}`);
      if (options.json) output.json(answer);
      else output.out.line(`${done} ${id}.`);
      return Exit.ok;
    }
    const answer = await getUpdates<{ readonly configs: readonly Config[] }>(control, "/configs", {
      repo,
    });
    if (options.json) output.json(answer);
    else show(output, answer.configs);
    return Exit.ok;
  },
});

function show(
  output: { readonly out: Channel; readonly err: Channel },
  configs: readonly Config[],
): void {
  if (configs.length === 0) {
    output.err.line("No update configs.");
    return;
  }
  writeTable(
    output.out,
    [
      { title: "ID", cell: ({ id }: Config) => String(id), align: "right" },
      { title: "REPOSITORY", cell: ({ repo }: Config) => repo },
      { title: "MANAGER", cell: (config: Config) => config["package-manager"] },
      { title: "DIRECTORY", cell: ({ directory }: Config) => directory },
      { title: "SCHEDULE", cell: (config: Config) => config["update-schedule"] },
      {
        title: "MERGES",
        cell: (config: Config) =>
          `${config["automerge-rule-runtime-deps"]}, ${config["automerge-rule-development-deps"]}`,
        priority: 1,
      },
      { title: "TROUBLE", cell: ({ trouble }: Config) => trouble ?? "", priority: 2, shrink: 20 },
    ],
    configs,
  );
}
