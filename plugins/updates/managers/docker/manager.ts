/** Images in Dockerfiles, Compose files and Kubernetes objects. There is no lock file; a digest beside a tag moves with it. */
import { UpdatesError } from "../../errors.js";
import { readTag, sameKind, tagVersioning } from "../../versions/tag.js";
import type { Available, Dependency, Manager, Release } from "../contract.js";
import { editManifests } from "../edit.js";
import { readImage } from "./image.js";
import { dockerParse, dockerWanted } from "./parse.js";
import { digestOf, tagsOf } from "./registry.js";
import { forAll, partOf } from "./sharing.js";

export const docker: Manager = {
  id: "docker",
  missing:
    "Repo must contain a Dockerfile, a Containerfile, a Compose file or Kubernetes YAML files.",
  versioning: {
    ...tagVersioning,
    satisfies: (version, requirement) => version === tagIn(requirement),
  },
  filesToRead: dockerWanted,
  parse: dockerParse,
  normalize: (name) => readImage(name.trim())?.name ?? name.trim().toLowerCase(),
  available: async (dependency, lookup) => {
    const tags = await tagsOf(registryOf(dependency), repositoryOf(dependency), lookup);
    const releases = tags.map((version) => ({ version }));
    return { releases: await forAll(dependency, releases, lookup) };
  },
  comparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (dependency, release, lookup) => {
    if (dependency.extra?.pin === undefined) return release;
    const registry = registryOf(dependency);
    return {
      ...release,
      pin: await digestOf(registry, repositoryOf(dependency), release.version, lookup),
    };
  },
  requirement: ({ requirement, extra }, { version, pin }, strategy) => {
    if (strategy === "lockfile_only") return requirement;
    if (extra) return partOf(version, [extra.before ?? "", extra.after ?? ""]) ?? requirement;
    return requirement.includes("@") && pin !== undefined ? `${version}@${pin}` : version;
  },
  update: async ({ sources, changes }) => ({
    files: editManifests(sources.files, changes, (value) => value),
    submodules: new Map(),
    lock: { kind: "absent" },
  }),
};

const tagIn = (requirement: string): string => requirement.split("@")[0] ?? requirement;

function registryOf({ name, origin }: Dependency): string {
  if (origin.kind === "registry") return origin.url;
  throw new UpdatesError("lookup_failed", `No registry is known for ${name}.`);
}

const repositoryOf = ({ name }: Dependency): string => readImage(name)?.repository ?? name;

function comparable({ current }: Dependency, { releases }: Available): readonly Release[] {
  const mine = current === undefined ? undefined : readTag(current);
  if (!mine) return [];
  return releases.filter(({ version }) => {
    const tag = readTag(version);
    return tag !== undefined && sameKind(mine, tag);
  });
}
