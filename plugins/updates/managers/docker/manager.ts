/** Images in Dockerfiles, Compose files and Kubernetes objects. There is no lock file; a digest after a tag moves with it. */
import { isSameKind, tagVersioning } from "../../versions/tag.js";
import type { Dependency } from "../contract.js";
import { defineManager } from "../define.js";
import { registryUrl } from "../origin.js";
import { readImage } from "./manifest/image.js";
import { dockerParse, dockerWanted } from "./manifest/parse.js";
import { tagPart } from "./manifest/shared-tags.js";
import { imageDigest, releasesOfAll, tagsOf } from "./registry.js";

export const docker = defineManager({
  id: "docker",
  missing:
    "Repo must contain a Dockerfile, a Containerfile, a Compose file or Kubernetes YAML files.",
  versioning: {
    ...tagVersioning,
    satisfies: (version, requirement) => version === (requirement.split("@")[0] ?? requirement),
  },
  filesToRead: dockerWanted,
  parse: dockerParse,
  normalize: (name) => readImage(name.trim())?.name ?? name.trim().toLowerCase(),
  available: async (dependency, lookup) => {
    const tags = await tagsOf(registryUrl(dependency), repositoryOf(dependency), lookup);
    const releases = tags.map((version) => ({ version }));
    return { releases: await releasesOfAll(dependency, releases, lookup) };
  },
  comparable: ({ current = "" }, { releases }) =>
    releases.filter(({ version }) => isSameKind(current, version)),
  pinned: async (dependency, release, lookup) => {
    if (dependency.extra?.pin === undefined) return release;
    const registry = registryUrl(dependency);
    const pin = await imageDigest(registry, repositoryOf(dependency), release.version, lookup);
    return { ...release, pin };
  },
  requirement: ({ requirement, extra }, { version, pin }) => {
    if (extra) return tagPart(version, [extra.before ?? "", extra.after ?? ""]) ?? requirement;
    return requirement.includes("@") && pin !== undefined ? `${version}@${pin}` : version;
  },
});

const repositoryOf = ({ name }: Dependency): string => readImage(name)?.repository ?? name;
