/** Actions of workflows. A tag keeps its precision; a commit stays a commit, and the comment after it follows. */
import { defineManager } from "../define.js";
import { taggedReleases } from "../git-tags.js";
import { gitOrigin } from "../origin.js";
import { gitSource } from "../source.js";
import { actionsParse, actionsWanted } from "./manifest.js";
import { actionsComparable, actionsRequirement, actionsVersioning } from "./versions.js";

export const hostActions = defineManager({
  id: "host_actions",
  missing: "Repo must contain workflows in .github/workflows or an action.yml.",
  versioning: actionsVersioning,
  filesToRead: actionsWanted,
  parse: actionsParse,
  normalize: (name) =>
    name
      .trim()
      .replace(/^https?:\/\/[^/]+\//, "")
      .replace(/@.*$|\.git$/, "")
      .split("/")
      .slice(0, 2)
      .join("/"),
  available: async (dependency, lookup) => ({
    releases: await taggedReleases(gitOrigin(dependency).url, lookup),
  }),
  comparable: actionsComparable,
  source: gitSource,
  requirement: actionsRequirement,
});
