/** Gradle: scripts in Groovy and Kotlin, catalogs, properties, the wrapper; lock files where a line is all that changes. */
import type { Dependency, LockOutcome, Tools, UpdateEdit, UpdateRequest } from "../contract.js";
import { defineManager } from "../define.js";
import { combineLocks, editManifests } from "../edit.js";
import { mavenAvailable, mavenSource, normalizeArtifact } from "../maven/registry.js";
import { mavenComparable } from "../maven/versions.js";
import { unverified } from "./lockfile.js";
import { gradleWanted, isGradleLock, VERIFICATION, WRAPPER_PROPERTIES } from "./manifest/files.js";
import { gradleParse } from "./manifest/parse.js";
import { GRADLE } from "./manifest/wrapper.js";
import { gradleReleases, withDigest } from "./registry.js";
import { refreshLockfile, staleOutcome } from "./resolve.js";
import { compareGradle, gradleVersioning, raisedGradle } from "./versions.js";

/** With the name that a plugin is published under. */
const artifactOf = (dependency: Dependency): Dependency =>
  dependency.extra?.artifact === undefined
    ? dependency
    : { ...dependency, name: dependency.extra.artifact };

export const gradle = defineManager({
  id: "gradle",
  missing: "Repo must contain a build.gradle or build.gradle.kts.",
  versioning: gradleVersioning,
  filesToRead: gradleWanted,
  parse: gradleParse,
  normalize: normalizeArtifact,
  available: (dependency, lookup, fields) =>
    dependency.name === GRADLE
      ? gradleReleases(dependency, lookup)
      : mavenAvailable(artifactOf(dependency), lookup, fields, compareGradle),
  comparable: mavenComparable,
  source: async (dependency, release, lookup) =>
    dependency.name === GRADLE
      ? { url: "https://github.com/gradle/gradle" }
      : mavenSource(artifactOf(dependency), release, lookup),
  requirement: ({ requirement }, { version }) => raisedGradle(requirement, version),
  update,
});

async function update(
  { sources, changes }: UpdateRequest,
  { lookup }: Tools,
): Promise<Pick<UpdateEdit, "files" | "lock">> {
  const files = new Map(editManifests(sources.files, changes, (value) => value));
  const outcomes: LockOutcome[] = [];
  for (const [file, text] of files) {
    if (!file.endsWith(WRAPPER_PROPERTIES)) continue;
    const whole = await withDigest(text, lookup);
    if (whole === undefined)
      outcomes.push(
        staleOutcome(`The digest in ${file} is of the old version: run \`gradle wrapper\`.`),
      );
    else files.set(file, whole);
  }
  for (const [file, text] of sources.files) {
    if (file.endsWith(VERIFICATION))
      outcomes.push(...unverified(file, text, changes).map(staleOutcome));
    if (!isGradleLock(file)) continue;
    const next = await refreshLockfile(file, text, changes, lookup);
    if (typeof next === "object") outcomes.push(next);
    else if (next !== text) {
      files.set(file, next);
      outcomes.push({ kind: "refreshed", tier: "in_process", by: "the line of the lock file" });
    }
  }
  return { files, lock: combineLocks(outcomes) };
}
