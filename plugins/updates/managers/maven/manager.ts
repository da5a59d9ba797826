/** Maven: POMs with their parents and modules, extensions, the wrapper. There is no lock file. */
import type { UpdateEdit, UpdateRequest } from "../contract.js";
import { defineManager } from "../define.js";
import { editManifests } from "../edit.js";
import { mavenParse, mavenWanted } from "./manifest/parse.js";
import { hasDigest, MAVEN_WRAPPER } from "./manifest/wrapper.js";
import { mavenAvailable, mavenSource, normalizeArtifact } from "./registry.js";
import { mavenComparable, mavenVersioning, raisedMaven } from "./versions.js";

export const maven = defineManager({
  id: "maven",
  missing: "Repo must contain a pom.xml.",
  versioning: mavenVersioning,
  filesToRead: mavenWanted,
  parse: mavenParse,
  normalize: normalizeArtifact,
  available: mavenAvailable,
  comparable: mavenComparable,
  source: mavenSource,
  requirement: ({ requirement }, { version }) => raisedMaven(requirement, version),
  update: async ({ sources, changes }: UpdateRequest): Promise<Omit<UpdateEdit, "submodules">> => {
    const files = editManifests(sources.files, changes, (value) => value);
    const isStale =
      [...files.keys()].some((file) => file.endsWith(MAVEN_WRAPPER)) &&
      hasDigest(sources.directory, sources.files);
    const note = `${MAVEN_WRAPPER} has digests of the old downloads: run \`mvn wrapper:wrapper\`.`;
    return { files, lock: isStale ? { kind: "stale", note } : { kind: "absent" } };
  },
});
