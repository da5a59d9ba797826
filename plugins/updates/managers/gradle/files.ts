/** The files of a build: its projects, what they apply, catalogs, properties, lock files. */
import { posix } from "node:path";
import { type GradleToken, gradleTokens } from "../../languages/gradle-tokens.js";
import type { ProjectSources, RepositoryPath } from "../contract.js";
import { insideOf } from "../paths.js";

const SCRIPTS = ["build.gradle", "build.gradle.kts"];
const SETTINGS = ["settings.gradle", "settings.gradle.kts"];
const LOCKS = ["gradle.lockfile", "buildscript-gradle.lockfile", "settings-gradle.lockfile"];
export const VERIFICATION = "gradle/verification-metadata.xml";
export const WRAPPER = "gradle/wrapper/gradle-wrapper.properties";

export const isScript = (path: RepositoryPath): boolean => /\.(?:gradle|kts?|groovy)$/.test(path);
export const isCatalog = (path: RepositoryPath): boolean => path.endsWith(".versions.toml");
/** Before Gradle 7 every configuration had a file of its own. */
const OWN_LOCK = /^(.*\/)?gradle\/dependency-locks\/([^/]+)\.lockfile$/;
export const isLock = (path: RepositoryPath): boolean =>
  LOCKS.includes(posix.basename(path)) || OWN_LOCK.test(path);
/** The configuration that a lock file is of, where it is of one. */
export const lockedConfiguration = (path: RepositoryPath): string | undefined =>
  OWN_LOCK.exec(path)?.[2];

/** In the order in which names are looked for: the root's first. Called again when more was read. */
export function gradleWanted({
  directory,
  tree,
  files,
}: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(directory);
  const there = new Set(
    tree.filter(({ kind }) => kind === "file" || kind === "executable").map(({ path }) => path),
  );
  const found = new Set<RepositoryPath>();
  const take = (path: RepositoryPath): void => {
    if (there.has(path)) found.add(path);
  };
  const builds = [root];
  const seen = new Set<string>();
  for (const build of builds) {
    if (seen.has(build)) continue;
    seen.add(build);
    for (const name of [...SCRIPTS, ...SETTINGS]) take(posix.join(build, name));
    if (build === root && found.size === 0) return [];
    for (const name of ["gradle.properties", WRAPPER, VERIFICATION, ...LOCKS])
      take(posix.join(build, name));
    for (const path of there)
      if (posix.dirname(path) === posix.join(build, "gradle") && isCatalog(path)) found.add(path);
    const settings = SETTINGS.map((name) => files.get(posix.join(build, name)) ?? "").join("\n");
    const said = gradleTokens(settings);
    const places = [build === "" ? "." : build];
    for (const project of projects(said)) {
      const place = posix.join(build, project);
      for (const name of [...SCRIPTS, "gradle.properties", ...LOCKS]) take(posix.join(place, name));
      places.push(place);
    }
    for (const path of there)
      if (OWN_LOCK.test(path) && places.includes(posix.join(path, "../../.."))) found.add(path);
    for (const path of [...there].filter((each) => inBuildSource(each, build))) found.add(path);
    builds.push(
      ...argumentsOf(said, "includeBuild")
        .map(({ value }) => posix.join(build, value))
        .filter((place) => !place.startsWith("..")),
    );
  }
  for (const script of found)
    if (isScript(script))
      for (const applied of appliedBy(files.get(script) ?? "", script, root)) take(applied);
  return [...found];
}

/** What is written for the build itself: its own project, and the sources with versions in them. */
function inBuildSource(path: RepositoryPath, build: string): boolean {
  const inside =
    build === "" ? path : path.startsWith(`${build}/`) ? path.slice(build.length + 1) : "";
  return (
    /^buildSrc\/(?:(?:build|settings)\.gradle(?:\.kts)?$|src\/main\/.*\.(?:gradle|kts?|groovy)$)/.test(
      inside,
    ) || /^src\/main\/(?:kotlin|groovy)\/.*\.gradle(?:\.kts)?$/.test(inside)
  );
}

/** `include ':app', ':lib:core'`, and directories that are said by themselves. */
function projects(list: readonly GradleToken[]): readonly string[] {
  const named = argumentsOf(list, "include").map(({ value }) =>
    value.replace(/^:/, "").replaceAll(":", "/"),
  );
  const placed = argumentsOf(list, "file").map(({ value }) => value);
  return [...new Set([...named, ...placed])].filter((path) => !/^\.\.|\$/.test(path));
}

/** The texts behind a word, as far as they are separated by commas: `include("a", "b")`. */
function argumentsOf(list: readonly GradleToken[], word: string): readonly GradleToken[] {
  return list.flatMap((token, at) => {
    if (token.kind !== "word" || token.value !== word) return [];
    const found: GradleToken[] = [];
    for (let next = at + 1; next < list.length; next += 1) {
      const each = list[next];
      if (each?.kind === "text") found.push(each);
      else if (each?.kind !== "sign" || !/^[(,[]$/.test(each.value)) break;
    }
    return found;
  });
}

/** `apply from: "gradle/versions.gradle"`, `apply(from = rootProject.file("x.gradle"))`. */
function appliedBy(text: string, script: RepositoryPath, root: string): readonly RepositoryPath[] {
  return [
    ...text.matchAll(/\bfrom\s*[:=(]\s*[^\n"']*["']([^"'\n]+\.gradle(?:\.kts)?)["']/g),
  ].flatMap(([, path = ""]) => {
    const plain = path.replace(/^\$\{?(?:rootDir|rootProject\.projectDir|projectDir)\}?\//, "");
    return [posix.join(posix.dirname(script), plain), posix.join(root, plain)];
  });
}
