/**
 * A home directory as commands see it: an overlay whose lower layer is the host's, with the secrets hidden in layers between, and whose
 * upper layer takes what the command changes: overlayfs in the kernel's documentation. Nothing in it reaches the host before the command has ended.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { credentials } from "../credentials.js";
import { copyAttributes } from "../owner.js";
import { isDirectory, isWithin } from "../paths.js";
import { HidingLayers, hidingArchive } from "./hiding-layers.js";
import { linkTargets } from "./link-targets.js";
import { type LayeredHomes, type Layers, layers } from "./overlay.js";
import type { Relocation } from "./relocations.js";

/** Data, so that a later process can take the changes over. */
export interface HomeLayout extends Layers {
  /** What is kept although its name says otherwise, by paths in the home. */
  readonly allowed: readonly string[];
  /** What is not kept, by paths in the home: secrets, programs, what links of the user's lead to. */
  readonly held: readonly string[];
  /** Directories that variables name, by paths in the home: kept like the usual ones. */
  readonly relocated: readonly Relocation[];
  /** Milliseconds since the epoch: what the host changed later stays. */
  readonly since: number;
  readonly uid: number;
  readonly gid: number;
}

export interface LaidOutHomes extends LayeredHomes {
  readonly homes: readonly HomeLayout[];
}

export interface HomeRequest extends Omit<HomeLayout, "root" | "held" | "relocated" | "since"> {
  /** Absolute. */
  readonly relocated: readonly Relocation[];
  /** Absolute paths that are not kept. */
  readonly held: readonly string[];
  /** More paths to hide, absolute. */
  readonly hidden: readonly string[];
}

/** The clock of file systems may lag by a tick. */
const tickMs = 10;

/**
 * Creates what is mounted, for the homes that exist.
 * @param directory gets a private directory for each
 * @param archive is written
 */
export function layOutHomes(
  requests: readonly HomeRequest[],
  directory: string,
  archive: string,
): LaidOutHomes {
  // Outermost first, as they are mounted.
  const sorted = requests.toSorted((one, other) => one.home.length - other.home.length);
  const laidOut = sorted.flatMap((request) => layOut(request, directory) ?? []);
  const hiding = laidOut.map(({ layout, hiding }) => [layout.name, hiding] as const);
  writeFileSync(archive, hidingArchive(hiding), { mode: 0o600 });
  mkdirSync(join(directory, layers.hiding), { mode: 0o700 });
  return { directory, archive, homes: laidOut.map(({ layout }) => layout) };
}

/** Its layout, and what hides paths of it. Undefined if the user has no home directory. */
function layOut({ hidden, held, relocated, ...request }: HomeRequest, directory: string) {
  const { home, name } = request;
  const root = join(directory, name);
  if (home === "/" || !lstatSync(home, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  mkdirSync(root, { recursive: true });
  // The user passes through, whatever the caller's file mode creation mask is.
  chmodSync(root, 0o755);
  symlinkSync(home, join(root, layers.home));
  const hiding = new HidingLayers(home, request);
  for (const path of credentials) hiding.hide(path);
  for (const path of hidden) if (isWithin(path, home)) hiding.hide(relative(home, path));
  for (const name of [layers.upper, layers.work]) {
    mkdirSync(join(root, name), { mode: 0o755 });
    copyAttributes(home, join(root, name));
  }
  const inside = held.filter((path) => isWithin(path, home) && path !== home);
  const never = [
    ...hiding.hidden,
    ...inside.map((path) => relative(home, path)),
    ...linkTargets(home),
  ];
  const layout: HomeLayout = {
    ...{ ...request, root, held: [...new Set(never)], since: Date.now() - tickMs },
    relocated: relocated
      .filter(({ at }) => isWithin(at, home))
      .map(({ at, usual }) => ({ at: relative(home, at), usual })),
  };
  return { layout, hiding };
}

/** Whether anything was changed in it. */
export const isUntouched = ({ root }: HomeLayout): boolean => {
  const upper = join(root, layers.upper);
  return !existsSync(upper) || (isDirectory(upper) && readdirSync(upper).length === 0);
};
