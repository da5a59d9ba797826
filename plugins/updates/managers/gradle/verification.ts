/** `gradle/verification-metadata.xml`: the sums of what a build may fetch, which only fetching all of it can make. */
import { UpdatesError } from "../../errors.js";
import { child, descend, readXml } from "../../text/xml.js";
import type { RepositoryPath, VersionChange } from "../contract.js";

/** In one sentence each: what is checked by its sum, and has none in its new version. */
export function unverified(
  file: RepositoryPath,
  text: string,
  changes: readonly VersionChange[],
): readonly string[] {
  const known = componentsIn(file, text);
  return changes.flatMap(({ dependency, to }) => {
    const name = dependency.extra?.artifact ?? dependency.name;
    const versions = known.get(name);
    return versions === undefined || versions.has(to.version)
      ? []
      : [
          `${file} has no sums of ${name} ${to.version}: run \`./gradlew --write-verification-metadata sha256 dependencies\`.`,
        ];
  });
}

/** Versions by name. What is trusted without a sum is not among them. */
function componentsIn(file: RepositoryPath, text: string): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  try {
    const root = child(readXml(file, text), "verification-metadata");
    for (const { attributes } of root ? descend(root, "components", "component") : []) {
      const [group, artifact, version] = ["group", "name", "version"].map(
        (key) => attributes.get(key)?.text ?? "",
      );
      const name = `${group}:${artifact}`;
      found.set(name, (found.get(name) ?? new Set()).add(version ?? ""));
    }
  } catch (thrown) {
    // What is no XML stops Gradle by itself.
    if (!(thrown instanceof UpdatesError)) throw thrown;
  }
  return found;
}
