/**
 * GitLab CI: images of jobs and services, files of other projects, components. Remote files and templates of GitLab have no version.
 */
import { defineManager } from "../define.js";
import { docker } from "../docker/manager.js";
import { composedOf, images, partVersioning, references } from "../parts.js";
import { gitlabWanted } from "./manifest/files.js";
import { gitlabParse } from "./manifest/parse.js";

export const gitlabCi = defineManager({
  id: "gitlab_ci",
  missing: "Repo must contain a .gitlab-ci.yml.",
  versioning: partVersioning,
  filesToRead: gitlabWanted,
  parse: gitlabParse,
  normalize: (name) => {
    const text = name.trim().replace(/^https?:\/\/|\.git$/g, "");
    return docker.normalize(text.split("@")[0] ?? text);
  },
  ...composedOf([
    [/^(include|component)$/, references],
    [/^(image|services)$/, images],
  ]),
});
