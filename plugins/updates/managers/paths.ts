/** Paths inside a repository. */
import { posix } from "node:path";
import type { ProjectSources, RepositoryPath } from "./contract.js";

/** `/packages/app` → `packages/app`; `/` → ``. */
export const insideOf = (directory: string): string =>
  posix
    .normalize(directory)
    .replace(/^\/+|\/+$/g, "")
    .replace(/^\.$/, "");

/** The path of `name` relative to the directory of a configuration. */
export const within = (directory: string, name: string): RepositoryPath =>
  posix.join(insideOf(directory), name);

/** Paths of all files in the tree; links and submodules are not files. */
export const filePaths = ({ tree }: ProjectSources): readonly RepositoryPath[] =>
  tree.filter(({ kind }) => kind === "file" || kind === "executable").map(({ path }) => path);

/** The files of `paths` that exist, in the order of the tree. */
export function existing(
  sources: ProjectSources,
  paths: readonly RepositoryPath[],
): readonly RepositoryPath[] {
  const wanted = new Set(paths);
  return filePaths(sources).filter((path) => wanted.has(path));
}

/** A member's directory relative to the root's: `packages/a`, `` for the root itself. */
export const relativeTo = (directory: string, path: RepositoryPath): string =>
  posix.relative(insideOf(directory), posix.dirname(path));
