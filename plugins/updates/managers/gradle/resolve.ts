/**
 * Refreshes a lock file by its lines, which is exact only where the new version needs the same as the old one. Refuses what POMs
 * alone cannot answer: versions decided by platforms or plugins, and Gradle's own metadata, which has more rules.
 */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeText } from "../../text/text.js";
import { child, descend, readXml, valueIn, type XmlElement } from "../../text/xml.js";
import type { Dependency, LockOutcome, RepositoryPath, VersionChange } from "../contract.js";
import { pomUrl } from "../maven/registry.js";
import { type LockedArtifact, readGradleLock, withVersion } from "./lockfile.js";
import { isDevelopment } from "./manifest/declarations.js";
import { lockedConfiguration } from "./manifest/files.js";
import { compareGradle } from "./versions.js";

export const staleOutcome = (note: string): LockOutcome => ({ kind: "stale", note });

/** The new text, or why the file stays stale. */
export async function refreshLockfile(
  file: RepositoryPath,
  text: string,
  changes: readonly VersionChange[],
  lookup: Lookup,
): Promise<string | LockOutcome> {
  const lines = readGradleLock(text, lockedConfiguration(file));
  const locked = new Map<string, LockedArtifact>();
  // An artifact may have different versions in two configurations: the older one counts.
  for (const { name, version, configurations } of lines) {
    const known = locked.get(name);
    locked.set(name, {
      name,
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
  const refuse = (reason: string): LockOutcome =>
    staleOutcome(
      `${file} is not refreshed, as ${reason}: run \`./gradlew dependencies --write-locks\`.`,
    );
  const decider = changes.find(({ dependency }) => decidesOthers(dependency, lines));
  if (decider) return refuse(`${decider.dependency.name} decides versions of other artifacts`);
  let result = text;
  for (const step of steps) {
    const reason = await refusalReason(step, locked, lookup);
    if (reason !== undefined) return refuse(reason);
    result = withVersion(result, step.name, step.own[0]?.version ?? "", step.to);
  }
  return result;
}

/** A platform, or a plugin, which may choose library versions for its project. */
function decidesOthers({ extra, origin }: Dependency, lines: readonly LockedArtifact[]): boolean {
  if (origin.kind !== "registry") return false;
  if (extra?.platform !== undefined) return lines.length > 0;
  const hasProgram = lines.some(({ configurations }) =>
    configurations.some((each) => each !== "classpath"),
  );
  return extra?.artifact !== undefined && hasProgram;
}

interface LockStep {
  readonly dependency: Dependency;
  readonly name: string;
  readonly own: readonly LockedArtifact[];
  readonly to: string;
}

async function refusalReason(
  { dependency, name, own, to }: LockStep,
  locked: ReadonlyMap<string, LockedArtifact>,
  lookup: Lookup,
): Promise<string | undefined> {
  const { origin, extra } = dependency;
  const [line, other] = own;
  if (!line || origin.kind !== "registry") return `the repository of ${name} is unknown`;
  if (other) return `it has ${name} in versions ${line.version} and ${other.version}`;
  const used = (extra?.configurations ?? "").split(" ").filter((each) => each !== "");
  const odd = line.configurations.find((each) => !used.some((section) => reaches(section, each)));
  if (odd !== undefined)
    return used.length === 0
      ? `no build script uses ${name}`
      : `${odd} has ${name}, too, and no build script adds it there`;
  const urls = [origin.url, ...(extra?.repositories?.split(" ") ?? [])];
  return pomChangeReason(line, to, urls, locked, lookup);
}

const PROCESSORS = /annotationProcessor|kapt|ksp/i;

/** Does an artifact of `section` reach `configuration`: classpaths of programs and their tests, or of processors? */
function reaches(section: string, configuration: string): boolean {
  // Test dependencies do not reach programs.
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

interface PomDependency {
  readonly version: string;
  /** Scope and exclusions as the POM states them. */
  readonly scope: string;
}

interface PomContent {
  readonly dependencies: Readonly<Record<string, PomDependency>>;
  readonly parent: { readonly name: string; readonly version: string } | undefined;
}

/** Why the POM of the new version changes more than its own line; undefined where it does not. */
async function pomChangeReason(
  { name, version: from, configurations }: LockedArtifact,
  to: string,
  urls: readonly string[],
  locked: ReadonlyMap<string, LockedArtifact>,
  lookup: Lookup,
): Promise<string | undefined> {
  const [before, after] = await Promise.all(
    [from, to].map((version) => pomDependencies(urls, name, version, lookup)),
  );
  if (!before || !after) return `the POM of ${name} does not state all its dependencies`;
  const dropped = Object.keys(before).find((each) => !(each in after));
  if (dropped !== undefined) return `${name} ${to} no longer needs ${dropped}`;
  for (const [each, { version, scope }] of Object.entries(after)) {
    const has = locked.get(each);
    const old = before[each];
    if (has === undefined) return `${name} ${to} needs ${each}, which is not locked`;
    if (compareGradle(has.version, version) < 0) return `${name} ${to} needs ${each} ${version}`;
    if (!old && configurations.some((one) => !has.configurations.includes(one)))
      return `${name} ${to} needs ${each}, which is not locked in all configurations of ${name}`;
    if (old && old.scope !== scope) return `${name} ${to} needs ${each} with another scope`;
    // The old requirement may be the reason for the locked version.
    if (
      old &&
      compareGradle(version, old.version) < 0 &&
      compareGradle(old.version, has.version) >= 0
    )
      return `${name} ${to} no longer needs ${each} ${old.version}`;
  }
  return undefined;
}

/** More parents than any POM has. */
const MAX_PARENTS = 8;

/** Dependencies of the POM and its parents; undefined where one of them does not state everything. */
async function pomDependencies(
  urls: readonly string[],
  name: string,
  version: string,
  lookup: Lookup,
): Promise<PomContent["dependencies"] | undefined> {
  const dependencies: Record<string, PomDependency> = {};
  let next: PomContent["parent"] = { name, version };
  for (let generation = 0; next && generation < MAX_PARENTS; generation += 1) {
    const pom: PomContent | undefined = await fetchPom(urls, next.name, next.version, lookup);
    if (!pom) return undefined;
    Object.assign(dependencies, { ...pom.dependencies, ...dependencies });
    next = pom.parent;
  }
  return next ? undefined : dependencies;
}

async function fetchPom(
  urls: readonly string[],
  name: string,
  version: string,
  lookup: Lookup,
): Promise<PomContent | undefined> {
  for (const url of urls)
    try {
      return await lookup.fetch<PomContent | undefined>({
        url: pomUrl(url, name, version),
        purpose: "dependencies",
        digest: ({ body }) => readPom(decodeText(body), version),
      });
    } catch (error) {
      if (!(error instanceof UpdatesError && error.code === "package_unknown")) throw error;
    }
  return undefined;
}

/** Undefined for a POM with Gradle metadata, and where a dependency has no literal version. */
function readPom(text: string, own: string): PomContent | undefined {
  const project = child(readXml("The POM", text), "project");
  if (!project || text.includes("published-with-gradle-metadata")) return undefined;
  const dependencies: Record<string, PomDependency> = {};
  for (const each of descend(project, "dependencies", "dependency")) {
    const scope = valueIn(each, "scope")?.text ?? "compile";
    const optional = valueIn(each, "optional")?.text === "true";
    if (optional || !["compile", "runtime"].includes(scope)) continue;
    const coordinates = coordinatesIn(each, own);
    if (!coordinates) return undefined;
    const excluded = descend(each, "exclusions", "exclusion").map((exclusion) =>
      ["groupId", "artifactId"].map((key) => valueIn(exclusion, key)?.text).join(":"),
    );
    dependencies[coordinates.name] = {
      version: coordinates.version,
      scope: [scope, ...excluded.toSorted()].join(" "),
    };
  }
  const element = child(project, "parent");
  const parent = element && coordinatesIn(element, own);
  return element && !parent ? undefined : { dependencies, parent };
}

function coordinatesIn(element: XmlElement, own: string): PomContent["parent"] {
  const [group, artifact, version] = ["groupId", "artifactId", "version"].map((key) =>
    valueIn(element, key)?.text.replace("${project.version}", own),
  );
  if (group === undefined || artifact === undefined || version === undefined) return undefined;
  if (/\$\{|[[(,]/.test(`${group}${artifact}${version}`)) return undefined;
  return { name: `${group}:${artifact}`, version };
}
