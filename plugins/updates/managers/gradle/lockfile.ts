/**
 * Lock files: one line for each version of an artifact, with its configurations, or one file for each configuration. And
 * `gradle/verification-metadata.xml`: checksums, which only a download of everything can create.
 */
import { child, descend, readXml } from "../../text/xml.js";
import { readOrReport } from "../broken-files.js";
import type { RepositoryPath, VersionChange } from "../contract.js";

export interface LockedArtifact {
  readonly name: string;
  readonly version: string;
  readonly configurations: readonly string[];
}

const LINE = /^([\w.-]+:[\w.-]+):([^=\s:#]+)(?:=([^=\s]*))?[ \t]*\r?$/gm;

/** `own` is the configuration of a file for one configuration. */
export const readGradleLock = (text: string, own?: string): readonly LockedArtifact[] =>
  [...text.matchAll(LINE)].map(([, name = "", version = "", configurations = own ?? ""]) => ({
    name,
    version,
    configurations: configurations.split(",").filter((each) => each !== ""),
  }));

/** Replaces the version of `name`. The order of lines does not depend on versions. */
export const withVersion = (text: string, name: string, from: string, to: string): string =>
  text.replace(LINE, (line, lineName: string, version: string) =>
    lineName === name && version === from
      ? `${name}:${to}${line.slice(name.length + 1 + from.length)}`
      : line,
  );

/** A note for each artifact that is verified by its checksum and has none for the new version. */
export function unverified(
  file: RepositoryPath,
  text: string,
  changes: readonly VersionChange[],
): readonly string[] {
  const versions = verifiedVersions(file, text);
  return changes.flatMap(({ dependency, to }) => {
    const name = dependency.extra?.artifact ?? dependency.name;
    const known = versions.get(name);
    return known === undefined || known.has(to.version)
      ? []
      : [
          `${file} has no checksums of ${name} ${to.version}: run \`./gradlew --write-verification-metadata sha256 dependencies\`.`,
        ];
  });
}

/** Versions by name, without trusted artifacts. Empty for invalid XML, which stops Gradle anyway. */
function verifiedVersions(
  file: RepositoryPath,
  text: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const versions = new Map<string, Set<string>>();
  const document = readOrReport(file, [], () => readXml(file, text));
  const root = child(document, "verification-metadata");
  for (const { attributes } of root ? descend(root, "components", "component") : []) {
    const [group, artifact, version] = ["group", "name", "version"].map(
      (key) => attributes.get(key)?.text ?? "",
    );
    const name = `${group}:${artifact}`;
    versions.set(name, (versions.get(name) ?? new Set()).add(version ?? ""));
  }
  return versions;
}
