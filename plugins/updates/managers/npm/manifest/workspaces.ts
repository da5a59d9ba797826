/** Finds the manifests of a workspace: the root and its members. */
import { matchesGlob, posix } from "node:path";
import { readJson } from "../../../text/json.js";
import { readYaml } from "../../../text/yaml.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { insideOf, within } from "../../paths.js";

/** The manifests of workspaces, sorted. A root that cannot be read names none. */
export function workspaceManifests(sources: ProjectSources): readonly RepositoryPath[] {
  const globs = patterns(sources);
  if (globs.length === 0) return [];
  const root = insideOf(sources.directory);
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(cleaned);
  const unwanted = globs
    .filter((glob) => glob.startsWith("!"))
    .map((glob) => cleaned(glob.slice(1)));
  return sources.tree
    .filter(({ path, kind }) => kind === "file" && posix.basename(path) === "package.json")
    .map(({ path }) => path)
    .filter((path) => {
      const directory = posix.relative(root, posix.dirname(path));
      if (directory === "" || directory.startsWith("..")) return false;
      if (directory.split("/").includes("node_modules")) return false;
      const named = (glob: string): boolean => matchesGlob(directory, glob);
      return wanted.some(named) && !unwanted.some(named);
    })
    .sort();
}

/** The nearest directory above that has a lock file, where this one has none. It may be the root of a workspace. */
export function lockedAbove(
  { directory, tree }: ProjectSources,
  lockNames: readonly string[],
): string | undefined {
  const paths = new Set(tree.filter(({ kind }) => kind === "file").map(({ path }) => path));
  const hasLock = (folder: string): boolean =>
    lockNames.some((name) => paths.has(posix.join(folder, name)));
  const parts = insideOf(directory).split("/");
  if (hasLock(parts.join("/"))) return undefined;
  const above = parts.map((_, depth) => parts.slice(0, depth).join("/")).reverse();
  return insideOf(directory) === "" ? undefined : above.find(hasLock);
}

/** The sources seen from where the lock file is: the root of the workspace that this directory is a member of. */
export function atLock(sources: ProjectSources, lockNames: readonly string[]): ProjectSources {
  const above = lockedAbove(sources, lockNames);
  if (above === undefined) return sources;
  const root = { ...sources, directory: `/${above}` };
  return workspaceManifests(root).includes(within(sources.directory, "package.json"))
    ? root
    : sources;
}

const cleaned = (glob: string): string => glob.replace(/^\.?\/+/, "").replace(/\/+$/, "");

function patterns({ directory, files }: ProjectSources): readonly string[] {
  return [
    ...fromManifest(files.get(within(directory, "package.json"))),
    ...fromPnpm(files.get(within(directory, "pnpm-workspace.yaml"))),
  ];
}

function fromManifest(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const workspaces = attempt(() => readJson("package.json", text).value("workspaces"));
  return texts(
    Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown })?.packages,
  );
}

function fromPnpm(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const settings = attempt(() => readYaml("pnpm-workspace.yaml", text).toJS() as unknown);
  return texts((settings as { packages?: unknown } | null | undefined)?.packages);
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

/** `parse` reports errors. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
