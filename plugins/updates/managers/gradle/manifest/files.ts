/** The files of a build: scripts of its projects and what they apply, catalogs, properties, lock files. */
import { posix } from "node:path";
import { type GradleToken, gradleTokens } from "../../../languages/gradle-tokens.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { filePaths, insideOf } from "../../paths.js";

const SCRIPTS = ["build.gradle", "build.gradle.kts"];
const SETTINGS = ["settings.gradle", "settings.gradle.kts"];
const LOCKS = ["gradle.lockfile", "buildscript-gradle.lockfile", "settings-gradle.lockfile"];
export const VERIFICATION = "gradle/verification-metadata.xml";
export const WRAPPER_PROPERTIES = "gradle/wrapper/gradle-wrapper.properties";

export const isScript = (path: RepositoryPath): boolean => /\.(?:gradle|kts?|groovy)$/.test(path);
export const isCatalog = (path: RepositoryPath): boolean => path.endsWith(".versions.toml");
/** Before Gradle 7 each configuration had its own file. */
const CONFIGURATION_LOCK = /^(.*\/)?gradle\/dependency-locks\/([^/]+)\.lockfile$/;
export const isGradleLock = (path: RepositoryPath): boolean =>
  LOCKS.includes(posix.basename(path)) || CONFIGURATION_LOCK.test(path);
/** The configuration of a lock file for one configuration. */
export const lockedConfiguration = (path: RepositoryPath): string | undefined =>
  CONFIGURATION_LOCK.exec(path)?.[2];

/** In the order in which names are resolved, the root's files first. Called again with more files read. */
export function gradleWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const { files } = sources;
  const root = insideOf(sources.directory);
  const paths = new Set(filePaths(sources));
  const result = new Set<RepositoryPath>();
  const addExisting = (...candidates: readonly RepositoryPath[]): void => {
    for (const path of candidates) if (paths.has(path)) result.add(path);
  };
  const builds = new Set([root]);
  for (const build of builds) {
    const inBuild = (names: readonly string[], directory = build): readonly RepositoryPath[] =>
      names.map((name) => posix.join(directory, name));
    addExisting(...inBuild([...SCRIPTS, ...SETTINGS]));
    if (build === root && result.size === 0) return [];
    addExisting(...inBuild(["gradle.properties", WRAPPER_PROPERTIES, VERIFICATION, ...LOCKS]));
    for (const path of paths)
      if (posix.dirname(path) === posix.join(build, "gradle") && isCatalog(path)) result.add(path);
    const settings = gradleTokens(
      inBuild(SETTINGS)
        .map((path) => files.get(path) ?? "")
        .join("\n"),
    );
    const directories = [build === "" ? "." : build];
    for (const project of projectDirectories(settings)) {
      const directory = posix.join(build, project);
      addExisting(...inBuild([...SCRIPTS, "gradle.properties", ...LOCKS], directory));
      directories.push(directory);
    }
    for (const path of paths)
      if (CONFIGURATION_LOCK.test(path) && directories.includes(posix.join(path, "../../..")))
        result.add(path);
    for (const path of paths) if (isBuildSource(path, build)) result.add(path);
    for (const { value } of argumentsOf(settings, "includeBuild")) {
      const included = posix.join(build, value);
      if (!included.startsWith("..")) builds.add(included);
    }
  }
  for (const script of result)
    if (isScript(script)) addExisting(...appliedBy(files.get(script) ?? "", script, root));
  return [...result];
}

/** Code of the build itself: `buildSrc`, and precompiled script plugins. */
function isBuildSource(path: RepositoryPath, build: string): boolean {
  const inside =
    build === "" ? path : path.startsWith(`${build}/`) ? path.slice(build.length + 1) : "";
  return (
    /^buildSrc\/(?:(?:build|settings)\.gradle(?:\.kts)?$|src\/main\/.*\.(?:gradle|kts?|groovy)$)/.test(
      inside,
    ) || /^src\/main\/(?:kotlin|groovy)\/.*\.gradle(?:\.kts)?$/.test(inside)
  );
}

/** Projects of `include ':app', ':lib:core'`, and directories set with `file(…)`. */
function projectDirectories(list: readonly GradleToken[]): readonly string[] {
  const included = argumentsOf(list, "include").map(({ value }) =>
    value.replace(/^:/, "").replaceAll(":", "/"),
  );
  const explicit = argumentsOf(list, "file").map(({ value }) => value);
  return [...new Set([...included, ...explicit])].filter((path) => !/^\.\.|\$/.test(path));
}

/** The string arguments of a call: `include("a", "b")`. */
function argumentsOf(list: readonly GradleToken[], word: string): readonly GradleToken[] {
  return list.flatMap((token, at) => {
    if (token.kind !== "word" || token.value !== word) return [];
    const texts: GradleToken[] = [];
    for (const next of list.slice(at + 1)) {
      if (next.kind === "text") texts.push(next);
      else if (next.kind !== "sign" || !/^[(,[]$/.test(next.value)) break;
    }
    return texts;
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
