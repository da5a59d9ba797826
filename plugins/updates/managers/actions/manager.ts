/**
 * Actions of workflows, and the images that jobs, services and steps run. A tag keeps its precision; a commit stays a commit, and the
 * comment after it follows.
 */
import type { Dependency } from "../contract.js";
import { defineManager } from "../define.js";
import { docker } from "../docker/manager.js";
import { taggedReleases } from "../git-tags.js";
import { gitOrigin } from "../origin.js";
import { gitSource } from "../source.js";
import { actionsParse, actionsWanted } from "./manifest.js";
import { actionsComparable, actionsRequirement, actionsVersioning } from "./versions.js";

const isImage = ({ origin }: Dependency): boolean => origin.kind === "registry";
/** Of declarations of images; those of actions are in `uses`, and have no tag after a digest. */
const inContainer = /^(container|services|image)$/;

export const hostActions = defineManager({
  id: "host_actions",
  missing: "Repo must contain workflows in .github/workflows or an action.yml.",
  versioning: actionsVersioning,
  filesToRead: actionsWanted,
  parse: actionsParse,
  normalize: (name) => {
    const text = name
      .trim()
      .replace(/^https?:\/\/[^/]+\//, "")
      .replace(/@.*$|\.git$/, "");
    const [first = "", ...rest] = text.split("/");
    // `ghcr.io/acme/app` is an image.
    return /[.:]/.test(first) && rest.length > 1
      ? docker.normalize(text)
      : [first, ...rest.slice(0, 1)].join("/");
  },
  available: async (dependency, lookup, fields) =>
    isImage(dependency)
      ? docker.available(dependency, lookup, fields)
      : { releases: await taggedReleases(gitOrigin(dependency).url, lookup) },
  comparable: (dependency, available) =>
    isImage(dependency)
      ? docker.comparable(dependency, available)
      : actionsComparable(dependency, available),
  pinned: async (dependency, release, lookup) =>
    isImage(dependency) ? docker.pinned(dependency, release, lookup) : release,
  source: gitSource,
  requirement: (declaration, release, strategy) =>
    inContainer.test(declaration.section)
      ? docker.requirement(declaration, release, strategy)
      : actionsRequirement(declaration, release),
});
