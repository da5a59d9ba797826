/**
 * The directories in which something must happen before a path can lead to another content: the one that holds the
 * file, and the parents of all symbolic links on the way there.
 */
import { dirname, join, resolve, sep } from "node:path";
import type { Disk } from "./file-system.js";

/** As many as the kernel follows. */
const LINKS = 40;

type Kind = "link" | "directory" | "other";

/** What has been looked at already; paths have long beginnings in common. */
export type Known = Map<string, Kind>;

/** Existing directories, without symbolic links in their paths. For what is missing: the nearest one it could appear in. */
export async function symlinkChain(
  path: string,
  known: Known,
  disk: Disk,
): Promise<ReadonlySet<string>> {
  const trail = new Set<string>();
  let place: string = sep;
  let ahead = segmentsOf(path);
  for (let links = 0; ahead.length > 0; ) {
    const [name = "", ...rest] = ahead;
    const here = join(place, name);
    const kind = known.get(here) ?? (await kindOf(here, disk));
    known.set(here, kind);
    if (kind === "link") {
      trail.add(place);
      links += 1;
      if (links > LINKS) return trail;
      const target = resolve(place, (await disk.readlink(here)) ?? name);
      ahead = [...segmentsOf(target), ...rest];
      place = sep;
      continue;
    }
    if (rest.length === 0 || kind !== "directory") {
      trail.add(place);
      return trail;
    }
    place = here;
    ahead = rest;
  }
  trail.add(dirname(path));
  return trail;
}

const segmentsOf = (path: string): readonly string[] => path.split(sep).filter(Boolean);

async function kindOf(path: string, disk: Disk): Promise<Kind> {
  const stats = await disk.lstat(path);
  if (stats?.isSymbolicLink()) return "link";
  return stats?.isDirectory() ? "directory" : "other";
}
