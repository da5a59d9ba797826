/** Paths inside a repository. */
import { posix } from "node:path";
import type { ProjectSources, RepositoryPath } from "./contract.js";

/** `/packages/app` → `packages/app`; `/` → ``. */
export const insideOf = (directory: string): string =>
  posix
    .normalize(directory)
    .replace(/^\/+|\/+$/g, "")
    .replace(/^\.$/, "");

/** `name` in the directory of a configuration, or in one below it. */
export const within = (directory: string, name: string): RepositoryPath =>
  posix.join(insideOf(directory), name);

/** What the tree has of `paths`; links and submodules are no files. */
export function existing(
  { tree }: ProjectSources,
  paths: readonly RepositoryPath[],
): readonly RepositoryPath[] {
  const wanted = new Set(paths);
  return tree
    .filter(({ path, kind }) => wanted.has(path) && (kind === "file" || kind === "executable"))
    .map(({ path }) => path);
}

/** A member's directory seen from the root's: `packages/a`, `` for the root itself. */
export const relativeTo = (directory: string, path: RepositoryPath): string =>
  posix.relative(insideOf(directory), posix.dirname(path));
