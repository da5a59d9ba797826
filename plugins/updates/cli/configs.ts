/** `reeve updates configs`: which projects are kept up to date, and how. */
import {
  choice,
  controlExits,
  controlOptions,
  count,
  defineCommand,
  Exit,
  Failure,
  flag,
  text,
  writeList,
} from "reeve/cli";
import { getUpdates, postUpdates, repositoryArgument, repositoryName } from "./requests.js";

const RULES = [
  "never",
  "security:patch",
  "semver:patch",
  "semver:minor",
  "in_range",
  "all",
] as const;

interface UpdateConfig {
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
    "Lists update configs. With --add: creates one and starts its first run. With --run: checks for updates now.",
  arguments: [repositoryArgument],
  options: {
    add: text("ACCOUNT/NAME", "create a config for this repository"),
    manager: text("NAME", "its package manager: npm_and_yarn, docker, …"),
    directory: text("PATH", "the directory of its manifests", { fallback: "/" }),
    schedule: choice(["live", "daily", "weekly", "monthly"], "when it checks for updates", {
      fallback: "live",
    }),
    runtime: choice(RULES, "which updates of runtime dependencies merge automatically", {
      fallback: "never",
    }),
    development: choice(RULES, "which updates of development dependencies merge automatically", {
      fallback: "never",
    }),
    lockfileOnly: flag("change lockfiles only"),
    securityOnly: flag("only security updates"),
    remove: count("ID", "remove a config and close its pull requests"),
    keep: flag("with --remove: leave its pull requests open"),
    run: count("ID", "check for updates now"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates configs", does: "lists all configs" },
    {
      command:
        "reeve updates configs --add acme/site --manager npm_and_yarn --runtime semver:patch",
      does: "keeps acme/site up to date and merges patches automatically",
    },
    { command: "reeve updates configs --run 1", does: "checks for updates of the config 1" },
  ],
  exits: { [Exit.findings]: "there is no such repository or config", ...controlExits },
  async run(call) {
    const {
      arguments: [repo],
      options,
      output,
      control,
    } = call;
    if (options.add !== undefined) {
      repositoryName(options.add);
      if (options.manager === undefined) {
        throw new Failure(Exit.usage, "--add needs --manager", {
          help: "Name the package manager: --manager npm_and_yarn.",
        });
      }
      const created = await postUpdates<{ readonly id: string }>(control, "/configs", {
        repo: options.add,
        "package-manager": options.manager,
        directory: options.directory,
        "update-schedule": options.schedule,
        "automerge-rule-runtime-deps": options.runtime,
        "automerge-rule-development-deps": options.development,
        "lockfile-only": options.lockfileOnly,
        "security-updates-only": options.securityOnly,
      });
      if (options.json) output.json(created);
      else output.out.line(`Created the update config ${created.id}.`);
      return Exit.ok;
    }
    for (const [id, verb, done] of [
      [options.remove, "remove", "Removed the update config"],
      [options.run, "run", "Checking for updates of the config"],
    ] as const) {
      if (id === undefined) continue;
      const body = await postUpdates<unknown>(control, `/configs/${id}/${verb}`, {
        keep: options.keep,
      });
      if (options.json) output.json(body);
      else output.out.line(`${done} ${id}.`);
      return Exit.ok;
    }
    const body = await getUpdates<{ readonly configs: readonly UpdateConfig[] }>(
      control,
      "/configs",
      { repo },
    );
    return writeList(call, body, body.configs, "No update configs.", [
      { title: "ID", cell: ({ id }) => String(id), align: "right" },
      { title: "REPOSITORY", cell: (config) => config.repo },
      { title: "MANAGER", cell: (config) => config["package-manager"] },
      { title: "DIRECTORY", cell: ({ directory }) => directory },
      { title: "SCHEDULE", cell: (config) => config["update-schedule"] },
      {
        title: "MERGES",
        cell: (config) =>
          `${config["automerge-rule-runtime-deps"]}, ${config["automerge-rule-development-deps"]}`,
        priority: 1,
      },
      { title: "PROBLEM", cell: ({ trouble }) => trouble ?? "", priority: 2, shrink: 20 },
    ]);
  },
});
