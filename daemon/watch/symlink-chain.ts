/**
 * The directories in which something must happen before a path can lead to another content: the one that holds the
 * file, and the parents of all symbolic links on the way there.
 */
import { dirname, join, resolve, sep } from "node:path";
import type { FileSystem } from "./file-system.js";

/** As many as the kernel follows. */
const LINKS = 40;

type Kind = "link" | "directory" | "other";

/** What has been looked at already; paths have long beginnings in common. */
export type PathKinds = Map<string, Kind>;

/** Existing directories, without symbolic links in their paths. For what is missing: the nearest one it could appear in. */
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
