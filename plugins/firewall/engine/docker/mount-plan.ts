/**
 * The view of the file system as mounts of a container. The image's root lies below, read-only; the host's directories
 * are mounted over it at their own places. An engine sorts mounts by depth and cannot make mount points in what is
 * read-only, so directories that are built entry by entry are laid out on disk beforehand.
 */
import {
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { MountStep } from "../mount-steps.js";

interface BindMount {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

export interface MountPlan {
  readonly binds: readonly BindMount[];
  /** Place → mount options. */
  readonly memory: ReadonlyMap<string, string>;
}

type Entry =
  | { readonly kind: "bind"; readonly from: string; readonly writable: boolean }
  | { readonly kind: "memory"; readonly mode: string }
  | { readonly kind: "sealed"; readonly links: Map<string, string> };

/** The engine's own; its masks are those of `mountSteps` and more. */
const engineOwn = /^\/(proc|dev|sys)(\/|$)/;
/** Never looked into for mounts of the host. */
const noMountsOf = /^\/(proc|dev|sys|run)(\/|$)/;

/**
 * Plans the mounts and lays out what they need below `directory`.
 * @param mountPoints the host's, all of them
 */
export function planMounts(
  steps: readonly MountStep[],
  directory: string,
  mountPoints: readonly string[] = hostMountPoints(),
): MountPlan {
  const entries = new Entries(steps, mountPoints).all;
  const sources = layOut(entries, directory);
  const binds = [...entries].flatMap(([at, entry]): BindMount[] => {
    if (entry.kind === "memory") return [];
    return entry.kind === "bind"
      ? [{ from: entry.from, at, writable: entry.writable }]
      : [{ from: sources.get(at) ?? "", at, writable: false }];
  });
  const memory = [...entries].flatMap(
    ([at, entry]): Array<[string, string]> =>
      entry.kind === "memory" ? [[at, `rw,exec,nosuid,nodev,mode=${entry.mode}`]] : [],
  );
  return { binds, memory: new Map(memory) };
}

/** One entry for each place, whatever lies below an earlier one taken off. */
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
    // "Read-only" is said to the mount alone, not to those below it.
    for (const path of this.#mountPoints) {
      if (!path.startsWith(`${from === "/" ? "" : from}/`) || !isThere(path)) continue;
      this.all.set(at + path.slice(from.length), { kind: "bind", from: path, writable });
    }
  }

  /** In a directory that is laid out, a link; on the image's own root, what the host's link leads to. */
  #link(at: string, to: string): void {
    const parent = this.all.get(dirname(at));
    if (parent?.kind === "sealed") parent.links.set(at.slice(dirname(at).length + 1), to);
    else if (dirname(at) === "/" && isThere(at) && !engineOwn.test(realpathSync(at)))
      this.#bind({ from: realpathSync(at), at, writable: false });
  }
}

/** Makes the directories that are built entry by entry. Place → where it is. */
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

/** The entry that a place lies in, and where it is laid out, if it is. */
function nearest(
  entries: ReadonlyMap<string, Entry>,
  sources: ReadonlyMap<string, string>,
  at: string,
): [around: string, source: string | undefined] {
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

/** Field five of each line; blanks and the like are written in octal. */
function hostMountPoints(): string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) =>
      (line.split(" ")[4] ?? "/").replace(/\\(\d{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    );
}
