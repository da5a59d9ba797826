/** Modules that go.mod files require. */
import { posix } from "node:path";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { existing, insideOf, within } from "../paths.js";
import { type GoMod, readGoMod, readGoWork } from "./gomod.js";
import { goVersioning } from "./versioning.js";

/** The go.mod files of the directory: its own, and those its go.work names. */
export function moduleFiles(sources: ProjectSources): readonly RepositoryPath[] {
  const work = sources.files.get(within(sources.directory, "go.work"));
  const used = work === undefined ? [] : readGoWork(work);
  const files = ["go.mod", ...used.map((directory) => posix.join(directory, "go.mod"))];
  return existing(sources, [...new Set(files.map((file) => within(sources.directory, file)))]);
}

export const sumFile = (goMod: RepositoryPath): RepositoryPath =>
  posix.join(posix.dirname(goMod), "go.sum");

export function goWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const work = within(sources.directory, "go.work");
  const modules = moduleFiles(sources);
  const vendored = modules.map((file) => posix.join(posix.dirname(file), "vendor/modules.txt"));
  return existing(sources, [work, ...modules, ...modules.map(sumFile), ...vendored]);
}

interface Group {
  /** Versions that a module has shut out. */
  readonly excluded: Set<string>;
  readonly declarations: Declaration[];
  readonly versions: string[];
  why: string | undefined;
}

export function goParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const groups = new Map<string, Group>();
  const modules: GoMod[] = [];
  const work = sources.files.get(within(sources.directory, "go.work"));
  // What a workspace replaces is replaced in all of its modules.
  const replaced = work === undefined ? undefined : readGoMod(work).replaced;
  for (const file of moduleFiles(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const module = readGoMod(text);
    modules.push(module);
    for (const { path, version, range, indirect } of module.requirements) {
      const group = groups.get(path) ?? {
        ...{ excluded: new Set<string>(), declarations: [], versions: [], why: undefined },
      };
      groups.set(path, group);
      group.versions.push(version);
      for (const one of module.excluded)
        if (one.startsWith(`${path}@`)) group.excluded.add(one.slice(path.length + 1));
      const stands = replaced?.get(path) ?? module.replaced.get(path);
      if (stands !== undefined) group.why = `${path} is replaced by ${stands}.`;
      if (!indirect)
        group.declarations.push({
          file,
          range,
          requirement: version,
          section: "require",
          development: false,
        });
    }
  }
  const own = new Set(modules.map(({ module }) => module));
  const root = within(sources.directory, "go.mod");
  const dependencies = [...groups]
    .filter(([path]) => !own.has(path))
    .map(([path, { declarations, versions, why, excluded }]): Dependency => {
      const current = versions.filter(goVersioning.isVersion).toSorted(goVersioning.compare)[0];
      return {
        id: path,
        name: path,
        origin: why === undefined ? originOf(path, settings) : { kind: "none", why },
        declarations,
        development: false,
        current,
        ...(excluded.size === 0 ? {} : { extra: { excluded: [...excluded].join(" ") } }),
        // Nobody imports it directly: its line in go.mod is Go's own note.
        ...(declarations.length === 0 ? { lockedBy: root } : {}),
      };
    });
  const go = modules[0]?.go;
  return { dependencies, runtime: go === undefined ? {} : { go }, broken: [] };
}

export const PUBLIC_PROXY = "https://proxy.golang.org";

const originOf = (path: string, settings: ManagerSettings): DependencyOrigin => ({
  kind: "registry",
  url: proxyFor(path, settings),
});

/** The longest scope wins: a prefix of the path in whole elements. */
export function proxyFor(path: string, { registries }: ManagerSettings): string {
  const [own] = registries
    .filter(
      ({ manager, scope = "" }) =>
        manager === "go_modules" && (scope === "" || `${path}/`.startsWith(`${insideOf(scope)}/`)),
    )
    .toSorted((a, b) => (b.scope ?? "").length - (a.scope ?? "").length);
  return (own?.url ?? PUBLIC_PROXY).replace(/\/+$/, "");
}
