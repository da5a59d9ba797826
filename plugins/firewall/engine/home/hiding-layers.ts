/** The layers of an overlay that hide paths of its lowest layer: below removals, above them empty files and directories of the same names. */
import { type BigIntStats, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { stepsTo } from "../entries.js";
import { isWithin } from "../paths.js";
import { type ArchiveEntry, archiveOf } from "./archive.js";
import { layers } from "./overlay.js";

/** So many links on the way to a path, as the kernel follows. */
const mostLinks = 40;

export class HidingLayers {
  /** What is hidden, by paths in the home. */
  readonly hidden: string[] = [];
  /** What links lead to outside of the home. */
  readonly elsewhere: string[] = [];
  readonly #home: string;
  readonly #owner: { readonly uid: number; readonly gid: number };
  /** What the layers have an entry for; what is missing stays missing. */
  readonly #covered = new Set<string>();
  /** By paths of the archive, parents first. */
  readonly #entries = new Map<string, ArchiveEntry>();
  readonly #found = new Map<string, BigIntStats | undefined>();

  /** @param owner of what is shown empty */
  constructor(home: string, owner: { readonly uid: number; readonly gid: number }) {
    this.#home = home;
    this.#owner = owner;
    // The last two are where the layers are mounted.
    for (const layer of [layers.empty, layers.gone, layers.hidden, layers.shown])
      this.#directory(layer, "");
  }

  /** Hides a path of the home, and what it leads to if links are on the way. */
  hide(path: string, links = 0): void {
    this.hidden.push(path);
    for (const step of stepsTo(path)) {
      if (this.#covered.has(step)) return;
      const found = this.#look(step);
      if (found?.isDirectory() && step !== path) continue;
      if (found === undefined) this.#remove(step);
      else if (found.isSymbolicLink()) this.#follow(step, path.slice(step.length + 1), links);
      else if (step === path) this.#cover(path, found);
      return;
    }
  }

  /** By paths in the layers, parents first. */
  get entries(): ReadonlyMap<string, ArchiveEntry> {
    return this.#entries;
  }

  #look(path: string): BigIntStats | undefined {
    if (!this.#found.has(path))
      this.#found.set(
        path,
        lstatSync(join(this.#home, path), { bigint: true, throwIfNoEntry: false }),
      );
    return this.#found.get(path);
  }

  #follow(link: string, rest: string, links: number): void {
    const at = join(this.#home, link);
    const target = resolve(realpathSync(dirname(at)), readlinkSync(at), rest);
    if (isWithin(target, this.#home) && target !== this.#home) {
      if (links < mostLinks) this.hide(relative(this.#home, target), links + 1);
      return;
    }
    try {
      const real = realpathSync(target);
      if (isWithin(real, this.#home) && real !== this.#home)
        this.hide(relative(this.#home, real), links + 1);
      else this.elsewhere.push(real);
    } catch {
      // It leads to nothing.
    }
  }

  #remove(path: string): void {
    this.#covered.add(path);
    this.#add(layers.gone, path, { kind: "removal" });
  }

  #cover(path: string, found: BigIntStats): void {
    if (found.isFile()) this.#covered.add(path);
    else this.#remove(path);
    if (!found.isDirectory() && !found.isFile()) return;
    const kind = found.isDirectory() ? "directory" : "file";
    const { mtimeNs } = found;
    this.#add(layers.empty, path, {
      kind,
      mode: kind === "file" ? 0o644 : 0o755,
      mtimeNs,
      ...this.#owner,
    });
  }

  #add(layer: string, path: string, entry: ArchiveEntry): void {
    for (const step of stepsTo(path).slice(0, -1)) this.#directory(layer, step);
    this.#entries.set(join(layer, path), entry);
  }

  /** Directories look like those that they are above. */
  #directory(layer: string, path: string): void {
    const at = join(layer, path);
    const found = this.#look(path);
    if (this.#entries.has(at) || found === undefined) return;
    const [mode, uid, gid] = [found.mode & 0o7777n, found.uid, found.gid].map(Number) as [
      number,
      number,
      number,
    ];
    this.#entries.set(at, { kind: "directory", mode, uid, gid, mtimeNs: found.mtimeNs });
  }
}

/** The layers of several homes, each below its name. */
export function hidingArchive(
  homes: ReadonlyArray<readonly [name: string, hiding: HidingLayers]>,
): Buffer {
  return archiveOf(
    homes.flatMap(([name, { entries }]) =>
      [...entries].map(([path, entry]) => [join(name, path), entry] as const),
    ),
  );
}
