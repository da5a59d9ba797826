/** The commands that are about the dependencies of repositories. */
import type { Entry } from "./command.js";

export const updates: readonly Entry[] = [
  {
    name: "accounts",
    summary: "list or make accounts of repositories",
    load: () => import("./commands/updates/accounts.js"),
  },
  {
    name: "tokens",
    summary: "list, make or revoke tokens",
    load: () => import("./commands/updates/tokens.js"),
  },
  {
    name: "repos",
    summary: "list or make repositories",
    load: () => import("./commands/updates/repos.js"),
  },
  {
    name: "configs",
    summary: "list, make, run or remove update configs",
    load: () => import("./commands/updates/configs.js"),
  },
  {
    name: "runs",
    summary: "list when it was looked for updates, and what came of it",
    load: () => import("./commands/updates/runs.js"),
  },
  {
    name: "prs",
    summary: "list or close pull requests",
    load: () => import("./commands/updates/prs.js"),
  },
  {
    name: "notify",
    summary: "say that a version was released, or ask who it would concern",
    load: () => import("./commands/updates/notify.js"),
  },
  {
    name: "why",
    summary: "say why a dependency is updated or not",
    load: () => import("./commands/updates/why.js"),
  },
];
