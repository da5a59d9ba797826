/** Finds dependencies in Gemfiles, gemspecs and the lock. */

import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { configuredUrl } from "../../origin.js";
import { within } from "../../paths.js";
import { type GemLock, readGemLock } from "../lockfile/read.js";
import { clausesOf, gemVersioning } from "../versions.js";
import { type GemProject, type GemRequest, gemProject } from "./gemfile.js";

const PUBLIC = "https://rubygems.org";

/** The repository's own source; the instance may replace the public one. */
export function registryAt(said: string | undefined, settings: ManagerSettings): string {
  const url = bare(said === undefined || /^:?(rubygems|gemcutter)$/.test(said) ? PUBLIC : said);
  const fits = (scope?: string): boolean =>
    scope === undefined ? url === PUBLIC : bare(scope) === url;
  return configuredUrl(settings, "bundler", fits) ?? url;
}

/** Without the scheme and trailing slashes. */
const bare = (url: string): string =>
  url
    .trim()
    .replace(/^(https?:\/\/)[^/@]*@/, "$1")
    .replace(/^http:\/\/rubygems\.org/, PUBLIC)
    .replace(/\/+$/, "");

interface GemUse {
  readonly name: string;
  readonly origin: DependencyOrigin;
  readonly declarations: readonly Declaration[];
}

export function gemParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const project = gemProject(sources);
  const broken: { file: RepositoryPath; why: string }[] = [];
  const lock = lockIn(sources, project, broken);
  const originOf = (said: string | undefined): DependencyOrigin => {
    const url = registryAt(said, settings);
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return { kind: "registry", url };
    return { kind: "none", why: `${said} is no address of a registry.` };
  };
  const source = project.gemfiles.map(({ read }) => read.source).find((one) => one !== undefined);
  const own = new Set(project.gemspecs.map(({ read }) => read.name));
  const uses = [
    ...project.gemfiles.flatMap(({ file, read }) =>
      read.gems.map((gem) => gemUse(file, gem, originOf(gem.source ?? source))),
    ),
    ...project.gemspecs.flatMap(({ file, read }) =>
      read.gems.map((gem) => gemUse(file, gem, originOf(source))),
    ),
  ].filter(({ name }) => !own.has(name));
  const direct = gathered(uses, lock, project.lock);
  return {
    dependencies: [...direct, ...indirect(direct, lock, project.lock, originOf)],
    runtime: runtimeOf(sources, project, lock),
    // Without a lock the whole range counts, so it stays as wide.
    ...(project.lock === undefined
      ? { self: { name: [...own][0] ?? "", description: "", origin: originOf(source) } }
      : {}),
    broken,
  };
}

function lockIn(
  { files }: ProjectSources,
  project: GemProject,
  broken: BrokenFiles,
): GemLock | undefined {
  const { lock: file } = project;
  const text = file === undefined ? undefined : files.get(file);
  if (file === undefined || text === undefined) return undefined;
  return readOrReport(file, broken, () => readGemLock(file, text));
}

const RUNTIME_GROUPS = new Set(["default", "production"]);

function gemUse(file: RepositoryPath, gem: GemRequest, origin: DependencyOrigin): GemUse {
  const { name, requirements, groups, end, elsewhere } = gem;
  const isSpec = file.endsWith(".gemspec");
  const development = groups.length > 0 && !groups.some((group) => RUNTIME_GROUPS.has(group));
  const section = isSpec
    ? `add_${development ? "development_" : ""}dependency`
    : groups.join(", ") || "default";
  const locations =
    requirements.length > 0
      ? requirements
      : [{ text: "", range: { start: end, end }, quote: undefined }];
  const declarations = locations.map(({ text, range, quote }) => ({
    file,
    range,
    requirement: text,
    section,
    development,
    ...(quote === undefined && !isSpec
      ? {}
      : {
          extra: {
            ...(quote === undefined ? {} : { quote }),
            ...(isSpec ? { in: "gemspec" } : {}),
          },
        }),
  }));
  const unread = requirements.find(({ text }) => clausesOf(text) === undefined);
  const why =
    elsewhere ??
    (unread ? `What is wanted of ${name}, ${unread.text}, is no requirement.` : undefined);
  return { name, origin: why === undefined ? origin : { kind: "none", why }, declarations };
}

function gathered(
  uses: readonly GemUse[],
  lock: GemLock | undefined,
  file: RepositoryPath | undefined,
): readonly Dependency[] {
  const groups = new Map<string, GemUse[]>();
  for (const one of uses) {
    const id = one.origin.kind === "none" ? `${one.name} (${one.origin.why})` : one.name;
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  const locked = new Map(lock?.gems.map((gem) => [gem.name, gem]));
  return [...groups].map(([id, group]) => {
    const [{ name, origin }] = group as [GemUse, ...GemUse[]];
    const declarations = group.flatMap((one) => one.declarations);
    const gem = locked.get(name);
    const pinned = declarations.flatMap(({ requirement }) => exact(requirement));
    return {
      id,
      name,
      origin,
      declarations,
      development: declarations.every(({ development }) => development),
      current: gem?.version ?? pinned.toSorted(gemVersioning.compare)[0],
      ...(gem && file !== undefined ? { lockedBy: file } : {}),
      ...platformsOf(lock),
    };
  });
}

const platformsOf = (lock: GemLock | undefined): Pick<Dependency, "extra"> =>
  lock && lock.platforms.length > 0 ? { extra: { platforms: lock.platforms.join(" ") } } : {};

function exact(requirement: string): readonly string[] {
  const [only, more] = clausesOf(requirement) ?? [];
  return only?.operator === "=" && more === undefined ? [only.version] : [];
}

/** Locked gems from registries without a direct requirement. */
function indirect(
  direct: readonly Dependency[],
  lock: GemLock | undefined,
  file: RepositoryPath | undefined,
  originOf: (said: string | undefined) => DependencyOrigin,
): readonly Dependency[] {
  if (!lock || file === undefined) return [];
  const known = new Set(direct.map(({ name }) => name));
  return lock.gems.flatMap(({ name, version, section }): readonly Dependency[] => {
    const { title, remotes } = lock.sections[section] ?? { title: "", remotes: [] };
    if (title !== "GEM" || known.has(name) || !gemVersioning.isVersion(version)) return [];
    known.add(name);
    return [
      {
        id: name,
        name,
        origin: originOf(remotes[0]),
        declarations: [],
        development: false,
        current: version,
        lockedBy: file,
        ...platformsOf(lock),
      },
    ];
  });
}

/** The Ruby version of the lock, the Gemfile, the gemspec or a version file, in this order. */
function runtimeOf(
  { directory, files }: ProjectSources,
  { gemfiles, gemspecs }: GemProject,
  lock: GemLock | undefined,
): ParsedProject["runtime"] {
  const chosen = files
    .get(within(directory, ".ruby-version"))
    ?.trim()
    .replace(/^ruby-/, "");
  const said = [
    lock?.ruby,
    ...gemfiles.map(({ read }) => read.ruby),
    ...gemspecs.map(({ read }) => read.ruby),
    chosen,
  ].find((one) => one !== undefined && clausesOf(one) !== undefined);
  return said === undefined ? {} : { ruby: said };
}
