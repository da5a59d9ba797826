/** The commands that are about the dependencies of repositories. */
import type { CommandEntry } from "../plugin-api/command.js";

export const updates: readonly CommandEntry[] = [
  {
    name: "accounts",
    summary: "list or make accounts of repositories",
    load: () => import("./updates/accounts.js"),
  },
  {
    name: "tokens",
    summary: "list, make or revoke tokens",
    load: () => import("./updates/tokens.js"),
  },
  {
    name: "repos",
    summary: "list or make repositories",
    load: () => import("./updates/repos.js"),
  },
  {
    name: "configs",
    summary: "list, make, run or remove update configs",
    load: () => import("./updates/configs.js"),
  },
  {
    name: "runs",
    summary: "list when it was looked for updates, and what came of it",
    load: () => import("./updates/runs.js"),
  },
  {
    name: "prs",
    summary: "list or close pull requests",
    load: () => import("./updates/prs.js"),
  },
  {
    name: "notify",
    summary: "say that a version was released, or ask who it would concern",
    load: () => import("./updates/notify.js"),
  },
  {
    name: "why",
    summary: "say why a dependency is updated or not",
    load: () => import("./updates/why.js"),
  },
];
