/** Packages in directories of the same repository: what Composer wants to see of them. */
import { posix } from "node:path";
import type { FileTexts, ProjectSources, RepositoryPath, Tools } from "../contract.js";
import { insideOf } from "../paths.js";
import { jsonObject, readComposerLock } from "./document.js";
import { phpJson } from "./entry.js";

/** The `composer.json` of each, of all that `url`s of repositories name. @throws UpdatesError as `Tools.read` */
export async function pathPackages(
  { directory, tree }: ProjectSources,
  urls: readonly string[],
  { read }: Pick<Tools, "read">,
): Promise<FileTexts> {
  const patterns = urls.map((url) => posix.join(insideOf(directory), url, "composer.json"));
  const inside = patterns.filter((pattern) => !/^(\/|\.\.(\/|$))/.test(pattern));
  const paths = tree
    .filter(({ kind, path }) => kind !== "submodule" && inside.some((each) => fits(path, each)))
    .map(({ path }) => path);
  return paths.length === 0 || !read ? new Map() : read(paths);
}

/** `packages/*`: a star stands for one directory. */
const fits = (path: RepositoryPath, pattern: string): boolean => posix.matchesGlob(path, pattern);

/** Composer guesses the version of such a package from git, which is not there: all must be locked as they were. */
export function sameFromPaths(lock: RepositoryPath, before: string, after: string): boolean {
  const locked = (text: string): string =>
    readComposerLock(lock, text)
      .filter(({ entry }) => jsonObject(entry.dist).type === "path")
      .map(({ entry }) => phpJson(entry, " "))
      .join("\n");
  return locked(before) === locked(after);
}
