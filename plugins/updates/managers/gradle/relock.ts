/** Lock files after an update: with the lines of what moved, or why that would be a guess. */

import { type Lookup } from "../../registries/contract.js";
import type { Dependency, LockOutcome, RepositoryPath, VersionChange } from "../contract.js";
import { isDevelopment } from "./declarations.js";
import { lockedConfiguration } from "./files.js";
import { type Locked, moved, readLock } from "./lockfile.js";
import { compareGradle } from "./order.js";
import { type Has, lockObstacle } from "./resolve.js";

export const stale = (note: string): LockOutcome => ({ kind: "stale", note });

export async function relocked(
  file: RepositoryPath,
  text: string,
  changes: readonly VersionChange[],
  lookup: Lookup,
): Promise<string | LockOutcome> {
  const lines = readLock(text, lockedConfiguration(file));
  const locked = new Map<string, Has>();
  // Of two versions of one artifact in two configurations the older one has to do.
  for (const { name, version, configurations } of lines) {
    const known = locked.get(name);
    locked.set(name, {
      version: known && compareGradle(known.version, version) < 0 ? known.version : version,
      configurations: [...(known?.configurations ?? []), ...configurations],
    });
  }
  const steps = changes.flatMap(({ dependency, to }) => {
    const name = dependency.extra?.artifact ?? dependency.name;
    const own = lines.filter((line) => line.name === name);
    return own.every(({ version }) => compareGradle(version, to.version) >= 0)
      ? []
      : [{ dependency, name, own, to: to.version }];
  });
  for (const { name, to } of steps) {
    const known = locked.get(name);
    if (known) locked.set(name, { ...known, version: to });
  }
  const decider = changes.find(({ dependency }) => decides(dependency, lines));
  if (decider) return unsure(file, `${decider.dependency.name} decides versions of others`);
  let result = text;
  for (const step of steps) {
    const why = await guess(step, locked, lookup);
    if (why !== undefined) return unsure(file, why);
    result = moved(result, step.name, step.own[0]?.version ?? "", step.to);
  }
  return result;
}

const unsure = (file: RepositoryPath, why: string): LockOutcome =>
  stale(`${file} is not refreshed, as ${why}: run \`./gradlew dependencies --write-locks\`.`);

/** A platform, locked itself or not; a plugin, which may give its project libraries of the version it wants. */
function decides({ extra, origin }: Dependency, lines: readonly Locked[]): boolean {
  if (origin.kind !== "registry") return false;
  if (extra?.platform !== undefined) return lines.length > 0;
  const ofProgram = lines.some(({ configurations }) =>
    configurations.some((each) => each !== "classpath"),
  );
  return extra?.artifact !== undefined && ofProgram;
}

interface Step {
  readonly dependency: Dependency;
  readonly name: string;
  readonly own: readonly Locked[];
  readonly to: string;
}

async function guess(
  { dependency, name, own, to }: Step,
  locked: ReadonlyMap<string, Has>,
  lookup: Lookup,
): Promise<string | undefined> {
  const { origin, extra } = dependency;
  const [line, other] = own;
  if (!line || origin.kind !== "registry") return `nothing says where ${name} comes from`;
  if (other) return `it has ${name} in versions ${line.version} and ${other.version}`;
  const used = (extra?.configurations ?? "").split(" ").filter((each) => each !== "");
  const odd = line.configurations.find((each) => !used.some((section) => reaches(section, each)));
  if (odd !== undefined)
    return used.length === 0
      ? `nothing in the build says where ${name} is used`
      : `${odd} has ${name}, too, and nothing in the build gives it to that`;
  const urls = [origin.url, ...(extra?.repositories?.split(" ") ?? [])];
  const { version: from, configurations } = line;
  return lockObstacle({ name, from, to, urls, configurations }, locked, lookup);
}

const PROCESSORS = /annotationProcessor|kapt|ksp/i;

/** What is given to `section` gets into `configuration`: into the paths of programs and of their tests, or of processors. */
function reaches(section: string, configuration: string): boolean {
  // What tests alone have does not get into programs.
  const testing = /test/i.test(configuration) || isDevelopment(configuration);
  if (isDevelopment(section) && !testing) return false;
  if (configuration.startsWith(section)) return true;
  if (section === "plugins") return configuration === "classpath";
  if (PROCESSORS.test(section) || PROCESSORS.test(configuration))
    return PROCESSORS.test(section) && PROCESSORS.test(configuration);
  if (/compileOnly/i.test(section))
    return /compileClasspath$/i.test(configuration) && testing === isDevelopment(section);
  if (/runtimeOnly$/i.test(section)) return /runtimeClasspath$/i.test(configuration);
  if (!/(?:^|[a-z])(?:implementation|api|compile)$/i.test(section)) return false;
  return /(?:compile|runtime)Classpath$/i.test(configuration);
}
