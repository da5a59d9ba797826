/** The files of a .NET solution: projects, what they import, what stands above them. */
import { posix } from "node:path";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { filePaths, insideOf } from "../../paths.js";

const PROJECT = /\.(?:cs|fs|vb|sql)?proj$/i;
const SOLUTION = /\.slnx?$|\.slnf$/i;
const ABOVE = [
  "directory.packages.props",
  "directory.build.props",
  "directory.build.targets",
  "global.json",
  "nuget.config",
];
export const TOOLS = [".config/dotnet-tools.json", "dotnet-tools.json"];

/** The lock beside a project; several projects in one directory have named locks. */
export const isNugetLock = (path: RepositoryPath): boolean =>
  /^packages\.(?:.+\.)?lock\.json$/i.test(posix.basename(path));
const isBeside = (path: RepositoryPath): boolean =>
  named(path, "packages.config") || isNugetLock(path);

export const isProject = (path: RepositoryPath): boolean =>
  PROJECT.test(path) || /\.(?:props|targets)$/i.test(path);
export const named = (path: RepositoryPath, name: string): boolean =>
  posix.basename(path).toLowerCase() === name;

/** Existing paths by lower-case name, since NuGet ignores case. */
function listing(sources: ProjectSources): ReadonlyMap<string, readonly RepositoryPath[]> {
  return Map.groupBy(filePaths(sources), (path) => {
    const directory = posix.dirname(path);
    return directory === "." ? "" : directory;
  });
}

/** Called again after each read, since projects name other files. */
export function nugetWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const { files } = sources;
  const root = insideOf(sources.directory);
  const inDirectory = listing(sources);
  const all = new Map([...inDirectory.values()].flat().map((path) => [path.toLowerCase(), path]));
  const at = (path: string): RepositoryPath | undefined => all.get(path.toLowerCase());
  const found = new Set<RepositoryPath>();
  const take = (path: RepositoryPath | undefined): void => {
    if (path !== undefined) found.add(path);
  };
  for (const path of inDirectory.get(root) ?? [])
    if (
      PROJECT.test(path) ||
      SOLUTION.test(path) ||
      isBeside(path) ||
      ABOVE.some((name) => named(path, name))
    )
      take(path);
  for (const tools of TOOLS) take(at(posix.join(root, tools)));
  if (![...found].some((path) => !named(path, "nuget.config"))) return [];
  for (const path of found) {
    const directory = posix.dirname(path) === "." ? "" : posix.dirname(path);
    const text = files.get(path) ?? "";
    for (const name of SOLUTION.test(path) ? inSolution(text) : inProject(text)) {
      const joined = posix.join(directory, name.replaceAll("\\", "/"));
      if (!joined.startsWith("..")) take(at(joined));
    }
    if (!PROJECT.test(path)) continue;
    for (const each of inDirectory.get(directory) ?? []) if (isBeside(each)) take(each);
    for (const folder of upwards(directory))
      for (const name of ABOVE) take(at(posix.join(folder, name)));
  }
  return [...found];
}

function upwards(directory: string): readonly string[] {
  const parts = directory === "" ? [] : directory.split("/");
  return [...parts.keys(), parts.length].map((count) => parts.slice(0, count).join("/")).reverse();
}

const inSolution = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"\n]+\.\w*proj)"/g)].map(([, path = ""]) => path);

/** References to projects, and imports whose place is said. */
const inProject = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /<(?:ProjectReference\b[^>]*?\bInclude|Import\b[^>]*?\bProject)\s*=\s*["']([^"']+)["']/g,
    ),
  ]
    .map(([, path = ""]) => path.replace(/^\$\(MSBuildThisFileDirectory\)/, ""))
    .filter((path) => !/\$\(|\*|^[/\\]|^[A-Za-z]:/.test(path));
