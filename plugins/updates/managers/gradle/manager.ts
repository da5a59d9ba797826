/** Gradle: scripts in Groovy and Kotlin, version catalogs, properties, the wrapper; lock files where one line is all that changes. */
import type {
  Dependency,
  LockOutcome,
  Manager,
  Tools,
  UpdateEdit,
  UpdateRequest,
  Versioning,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { mavenAvailable } from "../maven/available.js";
import { mavenSource, normalisedArtifact } from "../maven/manager.js";
import { mavenComparable, mavenVersioning } from "../maven/versioning.js";
import { gradleWanted, isLock, VERIFICATION, WRAPPER } from "./files.js";
import { compareGradle } from "./order.js";
import { gradleParse } from "./parse.js";
import { relocked, stale } from "./relock.js";
import { gradleFloor, gradleSatisfies, raisedGradle } from "./requirement.js";
import { unverified } from "./verification.js";
import { GRADLE, gradleVersions, redigested } from "./wrapper.js";

const versioning: Versioning = {
  ...mavenVersioning,
  compare: compareGradle,
  satisfies: gradleSatisfies,
  floor: gradleFloor,
};

/** What a plugin is published as. */
const artifact = (dependency: Dependency): Dependency =>
  dependency.extra?.artifact === undefined
    ? dependency
    : { ...dependency, name: dependency.extra.artifact };

export const gradle: Manager = {
  id: "gradle",
  missing: "Repo must contain a build.gradle or build.gradle.kts.",
  versioning,
  filesToRead: gradleWanted,
  parse: gradleParse,
  normalize: normalisedArtifact,
  available: (dependency, lookup, wants) =>
    dependency.name === GRADLE
      ? gradleVersions(dependency, lookup)
      : mavenAvailable(artifact(dependency), lookup, wants, compareGradle),
  comparable: mavenComparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: async (dependency, release, lookup) =>
    dependency.name === GRADLE
      ? { url: "https://github.com/gradle/gradle" }
      : mavenSource(artifact(dependency), release, lookup),
  requirement: ({ requirement }, { version }, strategy) =>
    strategy === "lockfile_only" ? requirement : raisedGradle(requirement, version),
  update: gradleUpdate,
};

async function gradleUpdate(
  { sources, changes }: UpdateRequest,
  tools: Tools,
): Promise<UpdateEdit> {
  const files = new Map(editManifests(sources.files, changes, (value) => value));
  const outcomes: LockOutcome[] = [];
  for (const [file, text] of files) {
    if (!file.endsWith(WRAPPER)) continue;
    const whole = await redigested(text, tools.lookup);
    if (whole === undefined)
      outcomes.push(
        stale(`The digest in ${file} is of the version before: run \`gradle wrapper\`.`),
      );
    else files.set(file, whole);
  }
  for (const [file, text] of sources.files) {
    if (file.endsWith(VERIFICATION)) outcomes.push(...unverified(file, text, changes).map(stale));
    if (!isLock(file)) continue;
    const next = await relocked(file, text, changes, tools.lookup);
    if (typeof next === "object") outcomes.push(next);
    else if (next !== text) {
      files.set(file, next);
      outcomes.push({ kind: "refreshed", tier: "in_process", by: "the line of the lock file" });
    }
  }
  const lock = outcomes.find(({ kind }) => kind === "stale") ?? outcomes[0] ?? { kind: "absent" };
  return { files, submodules: new Map(), lock };
}
