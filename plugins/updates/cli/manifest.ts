/** The commands and screens of this plugin, known without loading them. */
import type { BuiltInCliManifest } from "reeve/cli";

export const manifest: BuiltInCliManifest = {
  name: "updates",
  heading: "Tools",
  summary: "manage dependency updates of repositories",
  commands: {
    accounts: "list or create accounts",
    tokens: "list, create or revoke tokens",
    repos: "list or create repositories",
    configs: "list, create, run or remove update configs",
    runs: "list update runs and their results",
    prs: "list or close pull requests",
    notify: "announce a release, or preview its effect",
    why: "explain why a dependency is updated or not",
    convert: "convert a Renovate configuration",
    report: "report open proposals, merge times and dependencies behind",
  },
  screens: ["updates"],
};
