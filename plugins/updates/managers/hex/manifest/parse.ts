/** Finds dependencies in mix.exs and mix.lock. */

import { posix } from "node:path";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { configuredUrl } from "../../origin.js";
import { existing, within } from "../../paths.js";
import { sharing } from "../../shared-versions.js";
import { type LockedHex, readMixLock } from "../lockfile/read.js";
import { PUBLIC } from "../registry.js";
import { hexVersioning, isHexRequirement } from "../versions.js";
import { type MixProject, type MixRequest, readMix } from "./mix.js";

/** The lock beside mix.exs, or at its `lockfile`; projects of an umbrella use the parent's. */
export function mixLockFile(sources: ProjectSources): RepositoryPath {
  const text = sources.files.get(within(sources.directory, "mix.exs"));
  const said = text === undefined ? undefined : readMix(text).lockfile;
  return within(sources.directory, said ?? "mix.lock");
}

/** The mix.exs of a directory, and those of its projects in an umbrella. */
function mixFiles(sources: ProjectSources, directory: string): readonly RepositoryPath[] {
  const root = within(directory, "mix.exs");
  const text = sources.files.get(root);
  const path = text === undefined ? undefined : readMix(text).apps;
  const apps = path === undefined ? undefined : within(directory, path);
  const members = sources.tree.filter(
    ({ path: file, kind }) =>
      apps !== undefined &&
      kind === "file" &&
      posix.basename(file) === "mix.exs" &&
      posix.dirname(posix.dirname(file)) === apps,
  );
  return [...existing(sources, [root]), ...members.map(({ path: file }) => file)];
}

/** Projects that share the lock: those in named directories, and those of the parent with the lock. */
function sharingLock(
  sources: ProjectSources,
  own: readonly RepositoryPath[],
): readonly RepositoryPath[] {
  const found = new Set([...own, ...mixFiles(sources, posix.dirname(mixLockFile(sources)))]);
  for (const file of found) {
    const text = sources.files.get(file);
    for (const { directory } of text === undefined ? [] : readMix(text).requests)
      if (directory !== undefined) {
        for (const path of existing(sources, [projectIn(file, directory)])) found.add(path);
      }
  }
  return [...found].filter((file) => !own.includes(file));
}

/** The mix.exs of a directory relative to another mix.exs. */
export const projectIn = (file: RepositoryPath, directory: string): RepositoryPath =>
  posix.join(posix.dirname(file), directory, "mix.exs");

export function hexWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const files = mixFiles(sources, sources.directory);
  return files.length === 0
    ? []
    : [...files, ...sharingLock(sources, files), ...existing(sources, [mixLockFile(sources)])];
}

interface Project {
  readonly file: RepositoryPath;
  readonly project: MixProject;
}

const read = (sources: ProjectSources, files: readonly RepositoryPath[]): readonly Project[] =>
  files.flatMap((file) => {
    const text = sources.files.get(file);
    return text === undefined ? [] : [{ file, project: readMix(text) }];
  });

const mixProjects = (sources: ProjectSources): readonly Project[] =>
  read(sources, mixFiles(sources, sources.directory));

/** All projects that share the lock. */
export const lockedProjects = (sources: ProjectSources): readonly Project[] => {
  const own = mixFiles(sources, sources.directory);
  return read(sources, [...own, ...sharingLock(sources, own)]);
};

/** The instance's registry for the organization, else its default, else the public one. */
export function hexRegistryUrl(
  organization: string | undefined,
  settings: ManagerSettings,
): string {
  const plain = configuredUrl(settings, "hex") ?? PUBLIC;
  if (organization === undefined) return plain;
  const scoped = configuredUrl(settings, "hex", (scope) => scope === organization);
  return scoped ?? `${plain}/repos/${organization}`;
}

export function hexParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: { file: RepositoryPath; why: string }[] = [];
  const lock = mixLockFile(sources);
  const locked = lockedIn(sources, broken);
  const projects = mixProjects(sources);
  const uses = projects.flatMap(({ file, project }) =>
    project.requests.map((request) => ({ file, request })),
  );
  const groups = Map.groupBy(uses, ({ request }) => request.app);
  const shared = sharing(
    [...groups].map(([name, group]) => ({
      name,
      properties: new Set(
        group.flatMap(({ file, request: { attribute, requirement } }) =>
          attribute === undefined || !requirement ? [] : [`@${attribute} of ${file}`],
        ),
      ),
    })),
  );
  const direct = [...groups].map(([app, group]) => ({
    ...dependencyOf(app, group, locked.get(app), { lock, settings }),
    ...(shared.has(app) ? { together: shared.get(app)?.word ?? app } : {}),
  }));
  const known = new Set(uses.map(({ request }) => request.app));
  const indirect = [...locked.values()]
    .filter(({ app, version }) => !known.has(app) && hexVersioning.isVersion(version))
    .map(({ app, name, version, repo }): Dependency => {
      const organization = /^hexpm:(.+)$/.exec(repo)?.[1];
      return {
        ...{
          id: app,
          name,
          declarations: [],
          development: false,
          current: version,
          lockedBy: lock,
        },
        origin: { kind: "registry", url: hexRegistryUrl(organization, settings) },
        extra: { app },
      };
    });
  const published = projects[0]?.project.published;
  const elixir = projects[0]?.project.elixir;
  return {
    dependencies: [...direct, ...indirect],
    runtime: elixir === undefined ? {} : { elixir },
    ...(published === undefined
      ? {}
      : {
          self: {
            name: published,
            description: "",
            origin: { kind: "registry", url: hexRegistryUrl(undefined, settings) },
          },
        }),
    broken,
  };
}

function lockedIn(sources: ProjectSources, broken: BrokenFiles): ReadonlyMap<string, LockedHex> {
  const file = mixLockFile(sources);
  const text = sources.files.get(file);
  const lock =
    text === undefined ? undefined : readOrReport(file, broken, () => readMixLock(file, text));
  return new Map(lock?.locked.map((one) => [one.app, one]));
}

interface HexUse {
  readonly file: RepositoryPath;
  readonly request: MixRequest;
}

function dependencyOf(
  app: string,
  group: readonly HexUse[],
  locked: LockedHex | undefined,
  { lock, settings }: { readonly lock: RepositoryPath; readonly settings: ManagerSettings },
): Dependency {
  const [{ request }] = group as [HexUse, ...HexUse[]];
  const odd = group.find((one) => !isHexRequirement(one.request.requirement?.value ?? ""));
  const why =
    group.map((one) => one.request.elsewhere).find((one) => one !== undefined) ??
    (odd
      ? `What is wanted of ${app}, ${odd.request.requirement?.value}, is no requirement.`
      : undefined);
  const origin: DependencyOrigin =
    why === undefined
      ? { kind: "registry", url: hexRegistryUrl(request.organization, settings) }
      : { kind: "none", why };
  const declarations = group.map(({ file, request: { requirement, end, development } }) => ({
    file,
    range: requirement?.range ?? { start: end, end },
    requirement: requirement?.value ?? "",
    section: "deps",
    development,
  }));
  const pinned = declarations
    .map(({ requirement }) => requirement.replace(/^==\s*/, ""))
    .filter(hexVersioning.isVersion);
  const current = locked?.version ?? pinned.toSorted(hexVersioning.compare)[0];
  return {
    id: app,
    name: locked?.name ?? request.name,
    origin,
    declarations,
    development: declarations.every(({ development }) => development),
    current,
    ...(locked ? { lockedBy: lock } : {}),
    extra: { app },
  };
}
