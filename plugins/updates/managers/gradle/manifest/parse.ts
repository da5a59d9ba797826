/** Artifacts and plugins of a build, with all declarations of their versions, and their versions in lock files. */
import { posix } from "node:path";
import { type GradleToken, gradleTokens } from "../../../languages/gradle-tokens.js";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { declare } from "../../declare.js";
import { repositoriesFor } from "../../maven/registry.js";
import { sharing } from "../../shared-versions.js";
import { readGradleLock } from "../lockfile.js";
import { compareGradle, gradleFloor, isDynamic } from "../versions.js";
import { accessorOf, type CatalogUses, catalogVersions, readCatalog, usesIn } from "./catalog.js";
import { declarationsIn, isDevelopment } from "./declarations.js";
import { gradleWanted, isCatalog, isGradleLock, isScript, lockedConfiguration } from "./files.js";
import { readProperties, type Variables, type VariableValue, variablesIn } from "./variables.js";
import { wrapperDependency } from "./wrapper.js";

const PORTAL = "https://plugins.gradle.org/m2";
const GOOGLE = "https://dl.google.com/dl/android/maven2";

interface Artifact {
  readonly name: string;
  readonly plugin: boolean;
  readonly declarations: Declaration[];
  readonly properties: Set<string>;
  /** Where it is used: `implementation`, `classpath`. */
  readonly sections: Set<string>;
  platform: boolean;
  why: string | undefined;
}

export function gradleParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const artifacts = new Map<string, Artifact>();
  const artifactOf = (name: string, plugin: boolean): Artifact => {
    const artifact = artifacts.get(name) ?? {
      ...{ name, plugin, declarations: [], properties: new Set<string>() },
      sections: new Set<string>(),
      ...{ platform: false, why: undefined },
    };
    artifacts.set(name, artifact);
    return artifact;
  };
  const build = readBuild(sources);
  for (const [file, list] of build.scripts)
    for (const { name, plugin, platform, version, section } of declarationsIn(list)) {
      const artifact = artifactOf(name, plugin);
      artifact.platform ||= platform;
      artifact.sections.add(section);
      const value =
        "text" in version ? { ...version, file } : build.resolve(file, version.variable);
      if (value && /\d|\+|^latest\./.test(value.text)) {
        addVersion(artifact, value, section, isDevelopment(section));
        if ("variable" in version)
          artifact.properties.add(`${value.file} ${propertyName(value.file, version.variable)}`);
      } else if ("variable" in version)
        artifact.why ??= `${file} takes the version of ${name} from ${version.variable}, which has no literal value in the repository.`;
    }
  for (const [file, text] of build.catalogs) {
    const entries = readOrReport(file, broken, () => readCatalog(file, text)) ?? [];
    for (const { name, accessors, plugin, shared, ...value } of entries) {
      const artifact = artifactOf(name, plugin);
      const uses = accessors.flatMap((accessor) => build.uses.get(accessor) ?? []);
      for (const { section, platform } of uses) {
        artifact.sections.add(plugin ? "plugins" : section);
        artifact.platform ||= platform;
      }
      const development = uses.length > 0 && uses.every(({ section }) => isDevelopment(section));
      if (shared !== undefined) artifact.properties.add(`${file} versions.${accessorOf(shared)}`);
      addVersion(artifact, { ...value, file }, plugin ? "plugins" : "libraries", development);
    }
  }
  const locked = lockedVersions(sources);
  const markers = new Set([...artifacts.values()].map(({ name }) => markerOf(name)));
  for (const name of locked.keys()) if (!markers.has(name)) artifactOf(name, false);
  const shared = sharing([...artifacts.values()]);
  const dependencies = [...artifacts.values()].map((artifact): Dependency => {
    const { name, plugin, declarations, sections, platform, why } = artifact;
    const marker = plugin ? markerOf(name) : undefined;
    const repositories = build.repositories(plugin);
    const [url = "", ...more] = repositoriesFor(name, repositories, settings, "gradle");
    const together = shared.get(name);
    const lock = locked.get(marker ?? name);
    const sharers = together?.others.map((other) =>
      artifacts.get(other)?.plugin ? markerOf(other) : other,
    );
    const extra = {
      ...(marker === undefined ? {} : { artifact: marker }),
      ...(more.length > 0 ? { repositories: more.join(" ") } : {}),
      ...(sharers && sharers.length > 0 ? { sharers: sharers.join(" ") } : {}),
      ...(platform ? { platform: "true" } : {}),
      ...(lock && sections.size > 0 ? { configurations: [...sections].join(" ") } : {}),
    };
    return {
      id: name,
      name,
      origin:
        declarations.length === 0 && why !== undefined
          ? { kind: "none", why }
          : { kind: "registry", url },
      declarations,
      development: declarations.length > 0 && declarations.every((each) => each.development),
      current: lock?.version ?? declaredVersion(declarations),
      ...(lock === undefined ? {} : { lockedBy: lock.file }),
      ...(together === undefined ? {} : { together: together.word }),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
  });
  const wrapper = wrapperDependency(sources, settings);
  return { dependencies: wrapper ? [...dependencies, wrapper] : dependencies, runtime: {}, broken };
}

/** Scripts write `versions.x` of a catalog as `libs.versions.x`. */
const propertyName = (file: RepositoryPath, variable: string): string =>
  isCatalog(file) ? variable.replace(/^\w+\./, "") : variable;

/** The artifact that a plugin is published as. */
const markerOf = (plugin: string): string => `${plugin}:${plugin}.gradle.plugin`;

/** Within a range Gradle uses the preferred version, if there is one. */
function declaredVersion(declarations: readonly Declaration[]): string | undefined {
  const requirements = declarations.map(({ requirement }) => requirement);
  const fixed = requirements.filter((requirement) => !isDynamic(requirement));
  return (fixed.length > 0 ? fixed : requirements)
    .map(gradleFloor)
    .filter((version) => version !== undefined)
    .toSorted(compareGradle)[0];
}

const addVersion = (
  { declarations }: Artifact,
  { file, range, text: requirement }: VariableValue,
  section: string,
  development: boolean,
): void => declare(declarations, { file, range, requirement, section, development });

interface GradleBuild {
  readonly scripts: ReadonlyMap<RepositoryPath, readonly GradleToken[]>;
  readonly catalogs: ReadonlyMap<RepositoryPath, string>;
  readonly uses: CatalogUses;
  resolve(file: RepositoryPath, name: string): VariableValue | undefined;
  repositories(plugin: boolean): readonly string[];
}

function readBuild(sources: ProjectSources): GradleBuild {
  const scripts = new Map<RepositoryPath, readonly GradleToken[]>();
  const catalogs = new Map<RepositoryPath, string>();
  const variables = new Map<RepositoryPath, Variables>();
  for (const file of gradleWanted(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    if (isCatalog(file)) {
      catalogs.set(file, text);
      // `gradleParse` reports errors when it reads the entries.
      const versions = readOrReport(file, [], () => catalogVersions(file, text));
      if (versions) variables.set(file, versions);
    } else if (isScript(file)) {
      const list = gradleTokens(text);
      scripts.set(file, list);
      variables.set(file, variablesIn(file, list));
    } else if (posix.basename(file) === "gradle.properties")
      variables.set(file, readProperties(file, text));
  }
  const repositories = repositoryUrls([...scripts.values()].flat());
  return {
    scripts,
    catalogs,
    uses: usesIn(scripts.values()),
    // Nearest first: the file itself, properties in its directory, then the root's files and all others.
    resolve: (file, name) => {
      // The project's own version.
      if (name === "version") return undefined;
      const beside = posix.join(posix.dirname(file), "gradle.properties");
      return [variables.get(file), variables.get(beside), ...variables.values()]
        .map((known) => known?.get(name))
        .find((value) => value !== undefined);
    },
    repositories: (plugin) => (plugin ? [PORTAL, ...repositories] : repositories),
  };
}

function repositoryUrls(list: readonly GradleToken[]): readonly string[] {
  const urls = list.filter(
    ({ kind, value }, at) =>
      kind === "text" &&
      /^https?:\/\/[^$\s]+$/.test(value) &&
      [1, 2, 3].some((back) => /^(?:url|uri|maven|setUrl)$/.test(list[at - back]?.value ?? "")) &&
      URL.canParse(value),
  );
  const usesGoogle = list.some(({ kind, value }) => kind === "word" && value === "google");
  return [...new Set(urls.map(({ value }) => value)), ...(usesGoogle ? [GOOGLE] : [])];
}

/** The oldest locked version of each artifact, and the first file that has it. */
function lockedVersions({
  files,
}: ProjectSources): ReadonlyMap<
  string,
  { readonly version: string; readonly file: RepositoryPath }
> {
  const locked = new Map<string, { version: string; file: RepositoryPath }>();
  for (const [file, text] of files) {
    if (!isGradleLock(file)) continue;
    for (const { name, version } of readGradleLock(text, lockedConfiguration(file))) {
      const known = locked.get(name);
      if (!known || compareGradle(version, known.version) < 0) locked.set(name, { version, file });
    }
  }
  return locked;
}
