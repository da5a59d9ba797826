/** Finds dependencies in manifests and locks: one per package and registry, with all declarations. */

import { posix } from "node:path";
import { readJson } from "../../../text/json.js";
import { semverVersioning } from "../../../versions/semver.js";
import { readOrReport } from "../../broken-files.js";
import type {
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { existing, relativeTo, within } from "../../paths.js";
import { lockNames, type NpmLock, readNpmLocks } from "../lockfile/versions.js";
import { npmRegistries, type RegistryOf } from "../registry/registries.js";
import { type Declared, fromCatalogs, fromPackageJson } from "./declarations.js";
import { NODE_FILES, pinnedNode } from "./node-version.js";
import { atLock, lockedAbove, workspaceManifests } from "./workspaces.js";

const CATALOGS = ["pnpm-workspace.yaml", ".yarnrc.yml"];
const SETTINGS = [".npmrc", ".yarnrc"];

export function npmWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const inRoot = (name: string): RepositoryPath => within(sources.directory, name);
  if (existing(sources, [inRoot("package.json")]).length === 0) return [];
  const own = ["package.json", ...lockNames, ...CATALOGS, ...SETTINGS].map(inRoot);
  const above = lockedAbove(sources, lockNames);
  const roots = ["package.json", "pnpm-workspace.yaml"];
  const root = atLock(sources, lockNames);
  return [
    ...new Set([
      ...existing(sources, own),
      ...NODE_FILES.flatMap((name) => existing(sources, [inRoot(name), name])),
      ...workspaceManifests(sources),
      ...(above === undefined
        ? []
        : existing(
            sources,
            roots.map((name) => within(above, name)),
          )),
      ...(root === sources ? [] : npmWanted(root)),
    ]),
  ];
}

export function npmParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const { directory, files } = sources;
  const lockRoot = atLock(sources, lockNames);
  const isMember = lockRoot !== sources;
  const registryOf = npmRegistries(lockRoot, settings);
  const { locks, broken: brokenLocks } = readNpmLocks(lockRoot);
  const broken = [...brokenLocks];
  const root = within(directory, "package.json");
  const manifests = [root, ...workspaceManifests(sources)];
  const members = new Set(isMember ? memberNames(lockRoot) : []);
  const declared: Declared[] = [];
  for (const file of [...manifests, ...CATALOGS.map((name) => within(directory, name))]) {
    const text = files.get(file);
    if (text === undefined) continue;
    const read = manifests.includes(file) ? fromPackageJson : fromCatalogs;
    readOrReport(file, broken, () => {
      declared.push(...read(file, text));
      if (read === fromPackageJson && file !== root)
        members.add(String(readJson(file, text).value("name")));
    });
  }
  const direct = gathered(declared.filter(isLocal), {
    ...{ members, registryOf, locks },
    directory: lockRoot.directory,
  });
  return {
    // Transitive dependencies of a member belong to the root, which has the lock file.
    dependencies: isMember ? direct : [...direct, ...indirect(direct, locks, registryOf)],
    broken,
    ...aboutProject(root, files.get(root), { registryOf, pinned: pinnedNode(sources) }),
  };
}

/** Names of workspace packages; an unreadable manifest is reported where it is configured. */
const memberNames = (root: ProjectSources): readonly string[] =>
  workspaceManifests(root).flatMap((file) => {
    try {
      return [String(readJson(file, root.files.get(file) ?? "{}").value("name"))];
    } catch {
      return [];
    }
  });

/** A reference to a version elsewhere is not a declaration. */
const isLocal = ({ origin }: Declared): boolean =>
  !origin || !/takes its version from a catalog|follows what the project/.test(origin.why);

interface NpmContext {
  readonly members: ReadonlySet<string>;
  readonly registryOf: RegistryOf;
  readonly directory: string;
  readonly locks: readonly NpmLock[];
}

function gathered(declared: readonly Declared[], context: NpmContext): readonly Dependency[] {
  const groups = new Map<string, Declared[]>();
  for (const one of declared) {
    const origin = originOf(one, context);
    const id = origin.kind === "none" ? `${one.name} (${origin.why})` : one.name;
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  return [...groups].map(([id, group]) => {
    const [first] = group as [Declared, ...Declared[]];
    const locked = lockedIn(group, context);
    const pinned = group
      .map(({ declaration }) => declaration.requirement.replace(/^[=v\s]+/, ""))
      .filter((text) => semverVersioning.isVersion(text));
    return {
      id,
      name: first.name,
      origin: originOf(first, context),
      declarations: group.map(({ declaration, declaredAs }) => ({
        ...declaration,
        extra: { ...declaration.extra, declaredAs },
      })),
      development: group.every(({ declaration }) => declaration.development),
      current: locked?.version ?? pinned.toSorted(semverVersioning.compare)[0],
      ...(locked ? { lockedBy: locked.file } : {}),
    };
  });
}

function originOf(
  { name, declaredAs, origin }: Declared,
  { members, registryOf }: NpmContext,
): DependencyOrigin {
  if (origin) return origin;
  if (members.has(declaredAs))
    return { kind: "none", why: `${declaredAs} is a workspace of this repository.` };
  return registryOf(name);
}

/** The lowest of the versions in use, where members use several. */
function lockedIn(group: readonly Declared[], { directory, locks }: NpmContext) {
  const versions = locks.flatMap((lock) =>
    group.flatMap(({ declaration, declaredAs, name }) => {
      const { file, requirement } = declaration;
      const member = posix.basename(file) === "package.json" ? relativeTo(directory, file) : "";
      const version = lock.version(member, declaredAs, name, requirement);
      return version !== undefined && semverVersioning.isVersion(version)
        ? [{ file: lock.file, version }]
        : [];
    }),
  );
  return versions.toSorted((a, b) => semverVersioning.compare(a.version, b.version))[0];
}

/** Locked packages without a declaration, once per version. */
function indirect(
  direct: readonly Dependency[],
  locks: readonly NpmLock[],
  registryOf: RegistryOf,
): readonly Dependency[] {
  const known = new Set(direct.map(({ name, current }) => `${name}@${current}`));
  return locks.flatMap(({ all, file }) =>
    all.flatMap(({ name, version, development }) => {
      const id = `${name}@${version}`;
      if (known.has(id) || !semverVersioning.isVersion(version)) return [];
      known.add(id);
      return [
        {
          id,
          name,
          origin: registryOf(name),
          declarations: [],
          development,
          current: version,
          lockedBy: file,
        },
      ];
    }),
  );
}

function aboutProject(
  file: RepositoryPath,
  text: string | undefined,
  { registryOf, pinned }: { readonly registryOf: RegistryOf; readonly pinned: string | undefined },
): Pick<ParsedProject, "self" | "runtime"> {
  if (text === undefined) return { runtime: {} };
  try {
    const json = readJson(file, text);
    const [name, version, description] = [
      json.value("name"),
      json.value("version"),
      json.value("description"),
    ];
    const engine = json.value("engines", "node");
    const node = typeof engine === "string" ? engine : pinned;
    const publishable =
      typeof name === "string" && typeof version === "string" && json.value("private") !== true;
    return {
      runtime: node === undefined ? {} : { node },
      ...(publishable && typeof description === "string"
        ? { self: { name, description, origin: registryOf(name) } }
        : {}),
    };
  } catch {
    return { runtime: {} };
  }
}
