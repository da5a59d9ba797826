/** Gradle: scripts in Groovy and Kotlin, version catalogs, properties, the wrapper; lock files where one line is all that changes. */
import type {
  Dependency,
  Edit,
  LockOutcome,
  Manager,
  RepositoryPath,
  Tools,
  UpdateRequest,
  Versioning,
} from "../contract.js";
import { edited } from "../edit.js";
import { mavenAvailable } from "../maven/available.js";
import { mavenSource, normalisedArtifact } from "../maven/manager.js";
import { mavenComparable, mavenVersioning } from "../maven/versioning.js";
import { gradleWanted, isLock, WRAPPER } from "./files.js";
import { obstacle } from "./leaf.js";
import { moved, readLock } from "./lockfile.js";
import { compareGradle } from "./order.js";
import { gradleParse } from "./parse.js";
import { gradleFloor, gradleSatisfies, raisedGradle } from "./requirement.js";
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
  wanted: gradleWanted,
  parse: gradleParse,
  normalise: normalisedArtifact,
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

async function gradleUpdate({ sources, changes }: UpdateRequest, tools: Tools): Promise<Edit> {
  const files = new Map(edited(sources.files, changes, (value) => value));
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
    if (!isLock(file)) continue;
    const next = await relocked(file, text, changes, tools);
    if (typeof next === "object") outcomes.push(next);
    else if (next !== text) {
      files.set(file, next);
      outcomes.push({ kind: "refreshed", tier: "in_process", by: "the line of the lock file" });
    }
  }
  const lock = outcomes.find(({ kind }) => kind === "stale") ?? outcomes[0] ?? { kind: "absent" };
  return { files, submodules: new Map(), lock };
}

/** The lock file with its lines moved, or why that would be a guess. */
async function relocked(
  file: RepositoryPath,
  text: string,
  changes: UpdateRequest["changes"],
  { lookup }: Tools,
): Promise<string | LockOutcome> {
  const lines = readLock(text);
  const locked = new Map(lines.map(({ name, version }) => [name, version]));
  for (const { dependency, to } of changes) locked.set(dependency.name, to.version);
  let result = text;
  for (const { dependency, to } of changes) {
    const { name, origin, extra } = dependency;
    const line = lines.find((each) => each.name === name);
    if (!line || line.version === to.version || origin.kind !== "registry") continue;
    const urls = [origin.url, ...(extra?.repositories?.split(" ") ?? [])];
    const step = { name, from: line.version, to: to.version, urls };
    const why =
      extra?.platform === undefined
        ? await obstacle(step, locked, lookup)
        : `${name} decides versions of others`;
    if (why !== undefined)
      return stale(
        `${file} is not refreshed, as ${why}: run \`./gradlew dependencies --write-locks\`.`,
      );
    result = moved(result, name, line.version, to.version);
  }
  return result;
}

const stale = (note: string): LockOutcome => ({ kind: "stale", note });
