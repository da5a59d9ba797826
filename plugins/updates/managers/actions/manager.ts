/**
 * Actions of workflows, and the images that jobs, services and steps run. A tag keeps its precision; a commit stays a commit, and the
 * comment after it follows.
 */
import { defineManager } from "../define.js";
import { docker } from "../docker/manager.js";
import { composedOf, images, partVersioning, references } from "../parts.js";
import { actionsParse, actionsWanted } from "./manifest.js";

export const hostActions = defineManager({
  id: "host_actions",
  missing: "Repo must contain workflows in .github/workflows or an action.yml.",
  versioning: partVersioning,
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
  ...composedOf([
    [/^(container|services|image)$/, images],
    [/^uses$/, references],
  ]),
});
