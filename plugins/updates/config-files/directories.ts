/** Expands directory patterns such as `/packages/*`. Pure. */
import { matchesGlob, posix } from "node:path";
import { managerOf, type PackageManager } from "../managers/index.js";

export const isPattern = (directory: string): boolean => directory.includes("*");

/**
 * Returns the matching directories that contain a manifest of the manager, sorted by name.
 *
 * @param pattern from the root: `*` matches within a name, `**` any number of directories
 * @param files paths of all files of the repository
 */
export async function directoriesLike(
  pattern: string,
  manager: PackageManager,
  files: readonly string[],
): Promise<readonly string[]> {
  const inside = new Map<string, string[]>();
  for (const path of files) {
    const directory = posix.join("/", posix.dirname(path));
    const known = inside.get(directory);
    if (known) known.push(path);
    else inside.set(directory, [path]);
  }
  const { filesToRead: wanted } = await managerOf(manager);
  return [...inside]
    .filter(([directory, paths]) => {
      if (!matchesGlob(directory, pattern)) return false;
      // Only the directory's own files, so the work grows linearly with the repository.
      const tree = paths.map((path) => ({ path, kind: "file", oid: "" }) as const);
      return wanted({ directory, tree, files: new Map() }).length > 0;
    })
    .map(([directory]) => directory)
    .sort();
}
