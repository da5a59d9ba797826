/**
 * The view of the file system as container mounts over the read-only root of the image. An engine sorts mounts by
 * depth and cannot create mount points in read-only directories, so directories that are built entry by entry are laid
 * out on disk first.
 */
import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Layers, overlayOptions } from "../home/overlay.js";
import { hostMountPoints } from "../mount-points.js";
import type { MountStep } from "../mount-steps.js";

interface BindMount {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

/** A volume that the engine mounts for one container. */
interface OverlayMount {
  readonly at: string;
  /** Of `mount -t overlay`. */
  readonly options: string;
}

export interface MountPlan {
  readonly overlays: readonly OverlayMount[];
  readonly binds: readonly BindMount[];
  /** Path → mount options. */
  readonly memory: ReadonlyMap<string, string>;
}

type Entry =
  | { readonly kind: "bind"; readonly from: string; readonly writable: boolean }
  | { readonly kind: "overlay"; readonly layers: Layers }
  | { readonly kind: "memory"; readonly mode: string }
  | { readonly kind: "sealed"; readonly links: Map<string, string> };

/** The engine provides these; its masks include those of `mountSteps`. */
const engineOwn = /^\/(proc|dev|sys)(\/|$)/;
/** Never searched for mounts of the host. */
const noMountsOf = /^\/(proc|dev|sys|run)(\/|$)/;

interface PlanDirectories {
  /** Gets the directories that the mounts need. */
  readonly laidOut: string;
  /** Has the layers that hide paths of homes. */
  readonly hiding: string;
}

/**
 * Plans the mounts.
 * @param mountPoints all mount points of the host
 */
export function planMounts(
  steps: readonly MountStep[],
  { laidOut, hiding }: PlanDirectories,
  mountPoints: readonly string[] = hostMountPoints(),
): MountPlan {
  const entries = new Entries(steps, mountPoints).all;
  const sources = layOut(entries, laidOut);
  const binds = [...entries].flatMap(([at, entry]): BindMount[] => {
    if (entry.kind === "memory" || entry.kind === "overlay") return [];
    return entry.kind === "bind"
      ? [{ from: entry.from, at, writable: entry.writable }]
      : [{ from: sources.get(at) ?? "", at, writable: false }];
  });
  const memory = [...entries].flatMap(
    ([at, entry]): Array<[string, string]> =>
      entry.kind === "memory" ? [[at, `rw,exec,nosuid,nodev,mode=${entry.mode}`]] : [],
  );
  const overlays = [...entries].flatMap(([at, entry]): OverlayMount[] => {
    if (entry.kind !== "overlay") return [];
    return [{ at, options: overlayOptions(entry.layers, hiding) }];
  });
  return { binds, overlays, memory: new Map(memory) };
}

/** One entry for each path, without what an earlier entry has below it. */
class Entries {
  readonly all = new Map<string, Entry>();
  readonly #mountPoints: readonly string[];

  constructor(steps: readonly MountStep[], mountPoints: readonly string[]) {
    this.#mountPoints = mountPoints.filter((path) => !noMountsOf.test(path));
    const sealed = new Set(steps.filter(({ kind }) => kind === "seal").map(({ at }) => at));
    for (const step of steps) if (!engineOwn.test(step.at)) this.#take(step, sealed.has(step.at));
  }

  #take(step: MountStep, sealed: boolean): void {
    if (step.kind === "memory") {
      const entry: Entry = sealed
        ? { kind: "sealed", links: new Map() }
        : { kind: "memory", mode: step.mode ?? "0755" };
      this.#put(step.at, entry);
    } else if (step.kind === "directory") {
      this.#put(step.at, { kind: "sealed", links: new Map() });
    } else if (step.kind === "link") this.#link(step.at, step.to);
    else if (step.kind === "bind") this.#bind(step);
    else if (step.kind === "overlay") this.#put(step.at, { kind: "overlay", layers: step.layers });
  }

  #put(at: string, entry: Entry): void {
    for (const other of [...this.all.keys()]) {
      if (other === at || other.startsWith(`${at}/`)) this.all.delete(other);
    }
    this.all.set(at, entry);
  }

  #bind({ from, at, writable }: BindMount): void {
    this.#put(at, { kind: "bind", from, writable });
    if (writable) return;
    // A read-only mount does not include the mounts below it.
    for (const path of this.#mountPoints) {
      if (!path.startsWith(`${from === "/" ? "" : from}/`) || !isThere(path)) continue;
      this.all.set(at + path.slice(from.length), { kind: "bind", from: path, writable });
    }
  }

  /** A link in a laid-out directory; on the image's root the target of the host's link. */
  #link(at: string, to: string): void {
    const parent = this.all.get(dirname(at));
    if (parent?.kind === "sealed") parent.links.set(at.slice(dirname(at).length + 1), to);
    else if (dirname(at) === "/" && isThere(at) && !engineOwn.test(realpathSync(at)))
      this.#bind({ from: realpathSync(at), at, writable: false });
  }
}

/** Creates the directories that are built entry by entry. Path inside → path on disk. */
function layOut(entries: ReadonlyMap<string, Entry>, directory: string): Map<string, string> {
  const sources = new Map<string, string>();
  for (const [at, entry] of entries) {
    if (entry.kind !== "sealed") continue;
    const source = join(directory, String(sources.size));
    mkdirSync(source, { recursive: true, mode: 0o755 });
    for (const [name, to] of entry.links) symlinkSync(to, join(source, name));
    sources.set(at, source);
  }
  for (const [at, entry] of entries) {
    const [parent, source] = nearest(entries, sources, at);
    if (source === undefined) continue;
    const point = join(source, at.slice(parent.length));
    mkdirSync(dirname(point), { recursive: true });
    if (entry.kind === "bind" && !statSync(entry.from).isDirectory()) writeFileSync(point, "");
    else mkdirSync(point, { recursive: true });
  }
  return sources;
}

/** The entry that contains a path, and its directory on disk if it has one. */
function nearest(
  entries: ReadonlyMap<string, Entry>,
  sources: ReadonlyMap<string, string>,
  at: string,
): [shown: string, source: string | undefined] {
  for (let path = dirname(at); path !== "/"; path = dirname(path)) {
    if (entries.has(path)) return [path, sources.get(path)];
  }
  return ["/", undefined];
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}
