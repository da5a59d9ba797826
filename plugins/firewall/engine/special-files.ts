/** Finds sockets and named pipes that appear in directories, by the type of their files. */
import { type FSWatcher, lstatSync, watch } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { entriesOf } from "./entries.js";
import { identityOf } from "./host-sockets.js";
import { directoriesIn, most } from "./repositories.js";

/** How many directories are read before other work has its turn. */
const slice = 50;

export class SpecialFileWatch implements Disposable {
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
  /** Directories to read. */
  #changed: Set<string>;
  readonly #known: Map<string, string>;

  /** @param known the files that were there before, with their identities */
  constructor(roots: readonly string[], known: ReadonlyMap<string, string>) {
    this.#changed = new Set(roots);
    this.#known = new Map(known);
  }

  /** The files that have appeared since the previous call, nearest first. */
  async appeared(): Promise<string[]> {
    const queue = this.#changed;
    this.#changed = new Set();
    const found: string[] = [];
    let count = 0;
    for (const directory of queue) {
      count += 1;
      if (count % slice === 0) await nextTurn();
      if (!this.#follow(directory)) continue;
      const entries = entriesOf(directory);
      for (const path of directoriesIn(directory, entries, true))
        if (!this.#watchers.has(path)) queue.add(path);
      const special = entries.filter((entry) => entry.isSocket() || entry.isFIFO());
      found.push(
        ...special.map(({ name }) => join(directory, name)).filter((path) => this.#isNew(path)),
      );
    }
    return found;
  }

  /** False if the directory is gone, or beyond the limit. */
  #follow(directory: string): boolean {
    const inode = lstatSync(directory, { throwIfNoEntry: false })?.ino;
    const followed = this.#watchers.get(directory);
    if (followed !== undefined && followed.inode === inode) return true;
    this.#drop(directory);
    if (inode === undefined || this.#watchers.size >= most.visited) return false;
    try {
      const watcher = watch(directory, { persistent: false }, (kind, name) => {
        if (kind !== "rename") return;
        this.#changed.add(directory);
        // Another directory may have its name now.
        const path = join(directory, name ?? "");
        if (this.#watchers.has(path)) this.#changed.add(path);
      });
      watcher.on("error", () => this.#drop(directory));
      this.#watchers.set(directory, { watcher, inode });
      return true;
    } catch {
      // The system watches no more directories.
      return false;
    }
  }

  #isNew(path: string): boolean {
    const identity = identityOf(path);
    if (identity === undefined || this.#known.get(path) === identity) return false;
    this.#known.set(path, identity);
    return true;
  }

  #drop(directory: string): void {
    this.#watchers.get(directory)?.watcher.close();
    this.#watchers.delete(directory);
  }

  [Symbol.dispose](): void {
    for (const directory of this.#watchers.keys()) this.#drop(directory);
  }
}
