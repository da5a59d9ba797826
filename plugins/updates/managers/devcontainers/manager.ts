/** Development containers: the image, and the features that are added to it, with their lock file. */
import { readTag, sameWords } from "../../versions/tag.js";
import { numbersLike } from "../bounds.js";
import type { Available, Dependency, Release, Tools, UpdateRequest } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { docker } from "../docker/manager.js";
import { combineLocks, editManifests } from "../edit.js";
import { orFallback, refreshLock } from "../lock/refresh.js";
import { composedOf, images } from "../parts.js";
import { type FeatureMove, moveFeatures } from "./lockfile.js";
import { devcontainersParse, devcontainersWanted } from "./manifest.js";
import { publishedFeature } from "./registry.js";

export const devcontainers = defineManager({
  id: "devcontainers",
  missing: "Repo must contain a .devcontainer/devcontainer.json or a .devcontainer.json.",
  versioning: {
    ...docker.versioning,
    // `:1` is any version of that major.
    satisfies: (version, requirement) =>
      docker.versioning.satisfies(version, requirement) ||
      (/^\d+(\.\d+)?$/.test(requirement) && version.startsWith(`${requirement}.`)),
  },
  filesToRead: devcontainersWanted,
  parse: devcontainersParse,
  normalize: docker.normalize,
  ...composedOf([
    [
      /^features$/,
      {
        ...images,
        comparable: (dependency, available) =>
          dependency.lockedBy === undefined
            ? images.comparable(dependency, available)
            : wholeVersions(dependency, available),
        requirement: (declaration, release, strategy) =>
          /^[\d.]+$/.test(declaration.requirement)
            ? numbersLike(declaration.requirement.split("."), release.version)
            : images.requirement(declaration, release, strategy),
      },
    ],
    [/^image$/, images],
  ]),
  update,
});

/** A lock file has whole versions, whatever the tag says. */
function wholeVersions({ current = "" }: Dependency, { releases }: Available): readonly Release[] {
  const own = readTag(current);
  return releases.filter(({ version }) => {
    const tag = readTag(version);
    return own && tag && tag.numbers.length === 3 && sameWords(own, tag);
  });
}

async function update(
  { sources, changes }: UpdateRequest,
  { lookup }: Tools,
): Promise<PartialEdit> {
  const manifests = editManifests(sources.files, changes);
  const byLock = Map.groupBy(
    changes.filter(({ dependency }) => dependency.lockedBy !== undefined),
    ({ dependency }) => dependency.lockedBy ?? "",
  );
  const refreshed = await Promise.all(
    [...byLock].map(([file, inFile]) =>
      refreshLock({
        file,
        inProcess: async () => {
          const moves = await Promise.all(
            inFile.map(async ({ dependency, to, requirements }): Promise<FeatureMove> => {
              const tag = requirements[0] ?? "";
              return {
                from: dependency.extra?.key ?? "",
                to: `${dependency.extra?.written ?? dependency.name}:${tag}`,
                resource: dependency.name,
                ...(await publishedFeature(dependency, { tag, version: to.version }, lookup)),
              };
            }),
          );
          return {
            text: orFallback(() => moveFeatures(file, sources.files.get(file) ?? "", moves)),
            by: "the digests of the registry",
          };
        },
        advice: "devcontainer upgrade",
      }),
    ),
  );
  return {
    files: new Map([...manifests, ...refreshed.flatMap(({ files }) => [...files])]),
    lock: combineLocks(refreshed.map(({ lock }) => lock)),
  };
}
