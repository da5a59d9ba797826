/** Kustomizations: images with their digests, remote bases, Helm charts. */
import semver from "semver";
import { tagVersioning } from "../../versions/tag.js";
import { defineManager } from "../define.js";
import { docker } from "../docker/manager.js";
import { helm } from "../helm/manager.js";
import { composedOf, images, partVersioning, references } from "../parts.js";
import { nameOfRepository } from "../source.js";
import { kustomizeParse, kustomizeWanted } from "./manifest.js";

export const kustomize = defineManager({
  id: "kustomize",
  missing: "Repo must contain a kustomization.yaml.",
  versioning: partVersioning,
  filesToRead: kustomizeWanted,
  parse: kustomizeParse,
  normalize: (name) =>
    /:\/\/|^git@/.test(name.trim()) ? nameOfRepository(name.trim()) : docker.normalize(name),
  ...composedOf([
    [/^(resources|bases|components)$/, references],
    [
      /^helmCharts$/,
      {
        ...helm,
        requirement: (declaration, release) =>
          helm.requirement(declaration, release, "bump_versions"),
        comparable: (_dependency, { releases }) =>
          releases.filter(({ version }) => {
            const parsed = semver.parse(version);
            // A prerelease without a usual name reads as a tag of its own kind.
            return (
              parsed && (parsed.prerelease.length === 0 || tagVersioning.isPrerelease(version))
            );
          }),
      },
    ],
    [/^digest$/, { ...images, requirement: ({ requirement }, { pin }) => pin ?? requirement }],
    [/^images$/, images],
  ]),
});
