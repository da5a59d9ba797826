/** Artifacts and plugins of a build, with all places that say a version, and what lock files have. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import { type GradleToken, gradleTokens } from "../../languages/gradle-tokens.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { declare } from "../declare.js";
import { repositoriesFor } from "../maven/repositories.js";
import { sharing } from "../shared-versions.js";
import { catalogVersions, readCatalog } from "./catalog.js";
import { isDevelopment, mentionsOf } from "./declarations.js";
import { gradleWanted, isCatalog, isLock, isScript, lockedConfiguration } from "./files.js";
import { readLock } from "./lockfile.js";
import { compareGradle } from "./order.js";
import { gradleFloor, isDynamic } from "./requirement.js";
import { accessorOf, type Uses, usesIn } from "./uses.js";
import { propertiesOf, type Value, type Variables, variablesOf } from "./variables.js";
import { wrapperDependency } from "./wrapper.js";

const PORTAL = "https://plugins.gradle.org/m2";
const GOOGLE = "https://dl.google.com/dl/android/maven2";

interface Group {
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
  const broken: ParsedProject["broken"][number][] = [];
  const groups = new Map<string, Group>();
  const groupOf = (name: string, plugin: boolean): Group => {
    const group = groups.get(name) ?? {
      ...{ name, plugin, declarations: [], properties: new Set<string>() },
      sections: new Set<string>(),
      ...{ platform: false, why: undefined },
    };
    groups.set(name, group);
    return group;
  };
  const build = readBuild(sources);
  for (const [file, list] of build.scripts)
    for (const mention of mentionsOf(list)) {
      const { version, section } = mention;
      const group = groupOf(mention.name, mention.plugin);
      group.platform ||= mention.platform;
      group.sections.add(section);
      const value =
        "text" in version ? { ...version, file } : build.resolve(file, version.variable);
      if (value && /\d|\+|^latest\./.test(value.text))
        add(
          group,
          value,
          section,
          isDevelopment(section),
          "text" in version ? undefined : `${value.file} ${nameIn(value.file, version.variable)}`,
        );
      else if ("variable" in version)
        group.why ??= `${file} takes the version of ${mention.name} from ${version.variable}, which nothing in the repository says in so many words.`;
    }
  for (const [file, text] of build.catalogs)
    try {
      for (const { name, accessors, plugin, shared, ...value } of readCatalog(file, text)) {
        const property =
          shared === undefined ? undefined : `${file} versions.${accessorOf(shared)}`;
        const group = groupOf(name, plugin);
        const uses = accessors.flatMap((accessor) => build.uses.get(accessor) ?? []);
        for (const { section, platform } of uses) {
          group.sections.add(plugin ? "plugins" : section);
          group.platform ||= platform;
        }
        const development = uses.length > 0 && uses.every(({ section }) => isDevelopment(section));
        const section = plugin ? "plugins" : "libraries";
        add(group, { ...value, file }, section, development, property);
      }
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError)) throw thrown;
      broken.push({ file, why: thrown.message });
    }
  const locked = lockedIn(sources);
  const markers = new Set([...groups.values()].map(({ name }) => markerOf(name)));
  for (const name of locked.keys()) if (!markers.has(name)) groupOf(name, false);
  const shared = sharing([...groups.values()]);
  const dependencies = [...groups.values()].map((group): Dependency => {
    const { name, plugin, declarations, sections, platform, why } = group;
    const artifact = plugin ? markerOf(name) : undefined;
    const [url = "", ...more] = repositoriesFor(
      name,
      build.repositories(plugin),
      settings,
      "gradle",
    );
    const together = shared.get(name);
    const lock = locked.get(artifact ?? name);
    const sharers = together?.others.map((other) =>
      groups.get(other)?.plugin ? markerOf(other) : other,
    );
    const extra = {
      ...(artifact === undefined ? {} : { artifact }),
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
      development: declarations.length > 0 && declarations.every((one) => one.development),
      current: lock?.version ?? taken(declarations),
      ...(lock === undefined ? {} : { lockedBy: lock.file }),
      ...(together === undefined ? {} : { together: together.word }),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
  });
  const wrapper = wrapperDependency(sources, settings);
  return { dependencies: wrapper ? [...dependencies, wrapper] : dependencies, runtime: {}, broken };
}

/** Scripts call a catalog's `versions.x` `libs.versions.x`. */
const nameIn = (file: RepositoryPath, variable: string): string =>
  isCatalog(file) ? variable.replace(/^\w+\./, "") : variable;

/** What a plugin is published as. */
const markerOf = (plugin: string): string => `${plugin}:${plugin}.gradle.plugin`;

/** Within a range Gradle takes the version that is preferred, where one is named. */
function taken(declarations: readonly Declaration[]): string | undefined {
  const requirements = declarations.map(({ requirement }) => requirement);
  const named = requirements.filter((requirement) => !isDynamic(requirement));
  return (named.length > 0 ? named : requirements)
    .map(gradleFloor)
    .filter((version) => version !== undefined)
    .toSorted(compareGradle)[0];
}

function add(
  group: Group,
  value: Value,
  section: string,
  development: boolean,
  property: string | undefined,
): void {
  const { file, range, text: requirement } = value;
  if (property !== undefined) group.properties.add(property);
  declare(group.declarations, { file, range, requirement, section, development });
}

interface Build {
  readonly scripts: ReadonlyMap<RepositoryPath, readonly GradleToken[]>;
  readonly catalogs: ReadonlyMap<RepositoryPath, string>;
  readonly uses: Uses;
  resolve(file: RepositoryPath, name: string): Value | undefined;
  repositories(plugin: boolean): readonly string[];
}

function readBuild(sources: ProjectSources): Build {
  const scripts = new Map<RepositoryPath, readonly GradleToken[]>();
  const catalogs = new Map<RepositoryPath, string>();
  const variables = new Map<RepositoryPath, Variables>();
  for (const file of gradleWanted(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    if (isCatalog(file)) {
      catalogs.set(file, text);
      try {
        variables.set(file, catalogVersions(file, text));
      } catch (thrown) {
        // Told where its entries are read.
        if (!(thrown instanceof UpdatesError)) throw thrown;
      }
    } else if (isScript(file)) {
      const list = gradleTokens(text);
      scripts.set(file, list);
      variables.set(file, variablesOf(file, list));
    } else if (posix.basename(file) === "gradle.properties")
      variables.set(file, propertiesOf(file, text));
  }
  const all = [...scripts.values()].flat();
  const named = all.filter(
    (token, at) =>
      token.kind === "text" &&
      /^https?:\/\/[^$\s]+$/.test(token.value) &&
      [1, 2, 3].some((back) => /^(?:url|uri|maven|setUrl)$/.test(all[at - back]?.value ?? "")),
  );
  const google = all.some(({ kind, value }) => kind === "word" && value === "google");
  const repositories = [
    ...new Set(named.map(({ value }) => value).filter((url) => URL.canParse(url))),
    ...(google ? [GOOGLE] : []),
  ];
  return {
    scripts,
    catalogs,
    uses: usesIn(scripts.values()),
    // The nearest first: the file itself, properties beside it, then the root's and all others.
    resolve: (file, name) => {
      // The project's own, which is nobody's dependency.
      if (name === "version") return undefined;
      const beside = posix.join(posix.dirname(file), "gradle.properties");
      return [variables.get(file), variables.get(beside), ...variables.values()]
        .map((known) => known?.get(name))
        .find((value) => value !== undefined);
    },
    repositories: (plugin) => (plugin ? [PORTAL, ...repositories] : repositories),
  };
}

/** The oldest version of each artifact in lock files, and the first file that has it. */
function lockedIn({
  files,
}: ProjectSources): ReadonlyMap<
  string,
  { readonly version: string; readonly file: RepositoryPath }
> {
  const found = new Map<string, { version: string; file: RepositoryPath }>();
  for (const [file, text] of files) {
    if (!isLock(file)) continue;
    for (const { name, version } of readLock(text, lockedConfiguration(file))) {
      const known = found.get(name);
      if (!known || compareGradle(version, known.version) < 0) found.set(name, { version, file });
    }
  }
  return found;
}
