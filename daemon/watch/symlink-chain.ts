/**
 * The directories that determine a path's content: the file's directory, and the parents of all symbolic links in the
 * path.
 */
import { dirname, join, resolve, sep } from "node:path";
import type { FileSystem } from "./file-system.js";

/** The kernel's limit. */
const LINKS = 40;

type Kind = "link" | "directory" | "other";

/** A cache: paths share long prefixes. */
export type PathKinds = Map<string, Kind>;

/** Existing directories, with links resolved. For a missing path: the nearest existing directory. */
export async function symlinkChain(
  path: string,
  known: PathKinds,
  disk: FileSystem,
): Promise<ReadonlySet<string>> {
  const directories = new Set<string>();
  let directory: string = sep;
  let ahead = segmentsOf(path);
  for (let links = 0; ahead.length > 0; ) {
    const [name = "", ...rest] = ahead;
    const here = join(directory, name);
    const kind = known.get(here) ?? (await kindOf(here, disk));
    known.set(here, kind);
    if (kind === "link") {
      directories.add(directory);
      links += 1;
      if (links > LINKS) return directories;
      const target = resolve(directory, (await disk.readlink(here)) ?? name);
      ahead = [...segmentsOf(target), ...rest];
      directory = sep;
      continue;
    }
    if (rest.length === 0 || kind !== "directory") {
      directories.add(directory);
      return directories;
    }
    directory = here;
    ahead = rest;
  }
  directories.add(dirname(path));
  return directories;
}

const segmentsOf = (path: string): readonly string[] => path.split(sep).filter(Boolean);

async function kindOf(path: string, disk: FileSystem): Promise<Kind> {
  const stats = await disk.lstat(path);
  if (stats?.isSymbolicLink()) return "link";
  return stats?.isDirectory() ? "directory" : "other";
}
