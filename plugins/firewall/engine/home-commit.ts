/** Takes changes of a private home directory over to the host's, once the command has ended. */
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../errors.js";
import { entriesOf, type HomeLayout, stampOf } from "./home.js";
import { giveToOwnerOf } from "./owner.js";

/** What a command left that the host does not have as it was left. */
export interface Commit {
  /** Protected paths that the command wrote, absolute. */
  readonly held: readonly string[];
  /** Changes kept beside files that the host changed meanwhile, and changes that failed. */
  readonly problems: readonly string[];
  /** False if a change failed; it stays where it is. */
  readonly isComplete: boolean;
}

/** Paths of the host that differ from what the command left, at most so many. */
const mostChanges = 1000;

export function commitHomes(layouts: readonly HomeLayout[]): Commit {
  const commits = layouts.map(commitHome);
  return {
    held: commits.flatMap(({ held }) => held),
    problems: commits.flatMap(({ problems }) => problems),
    isComplete: commits.every(({ isComplete }) => isComplete),
  };
}

function commitHome(layout: HomeLayout): Commit {
  const nothing = { held: [], problems: [], isComplete: true };
  return layout.committed ? new Committing(layout).run() : nothing;
}

/** What the command made, changed or removed, by paths of the host. */
export function changesIn({ committed, home, root, own, before }: HomeLayout): string[] {
  if (!committed) return [];
  const present = own.flatMap((directory) =>
    entriesOf(join(root, directory)).map(({ name }) => join(directory, name)),
  );
  const written = present.filter((path) => before[path]?.copy !== stampOf(join(root, path)));
  const removed = Object.keys(before).filter((path) => stampOf(join(root, path)) === undefined);
  return [...written, ...removed].slice(0, mostChanges).map((path) => join(home, path));
}

class Committing {
  readonly #layout: HomeLayout;
  readonly #held: ReadonlySet<string>;
  /** Above protected paths: never replaced by anything but a directory. */
  readonly #parents: ReadonlySet<string>;
  readonly #found: string[] = [];
  readonly #problems: string[] = [];
  #isComplete = true;

  constructor(layout: HomeLayout) {
    this.#layout = layout;
    this.#held = new Set(layout.held);
    this.#parents = new Set(layout.held.flatMap(above));
  }

  run(): Commit {
    this.#directory("");
    this.#removed();
    const [held, problems, isComplete] = [this.#found, this.#problems, this.#isComplete];
    return { held, problems, isComplete };
  }

  #directory(directory: string): void {
    for (const { name } of entriesOf(join(this.#layout.root, directory))) {
      const path = directory === "" ? name : `${directory}/${name}`;
      try {
        this.#entry(path);
      } catch (thrown) {
        this.#isComplete = false;
        this.#problems.push(`${path} (${systemCode(thrown) ?? thrown})`);
      }
    }
  }

  #entry(path: string): void {
    const { home, root, before } = this.#layout;
    const [copy, host] = [join(root, path), join(home, path)];
    const stamp = stampOf(copy);
    const start = before[path];
    const found = lstatSync(copy);
    if (this.#held.has(path)) {
      if (start === undefined || start.copy !== stamp) this.#found.push(host);
      else if (found.isDirectory()) this.#heldBelow(path);
      return;
    }
    if (found.isDirectory() && (start?.copy === "directory" || this.#parents.has(path))) {
      if (start === undefined) makeDirectory(host, found.mode);
      // A directory that is not above a protected place is mounted from the host.
      if (this.#parents.has(path)) this.#directory(path);
      return;
    }
    if (start?.copy === stamp) return;
    if (this.#parents.has(path)) this.#found.push(host);
    else this.#replace(copy, host, start?.host);
  }

  /** Anything new in a place that is laid out although it is protected. */
  #heldBelow(directory: string): void {
    const { home, root, before, own } = this.#layout;
    if (!own.includes(directory)) return;
    for (const { name } of entriesOf(join(root, directory))) {
      const path = `${directory}/${name}`;
      if (before[path]?.copy !== stampOf(join(root, path))) this.#found.push(join(home, path));
      else this.#heldBelow(path);
    }
  }

  #replace(copy: string, host: string, expected: string | undefined): void {
    if (!tidy(copy)) return;
    const now = stampOf(host);
    if (now !== undefined && now === stampOf(copy)) return;
    const target = now === expected ? host : `${host}.sandbox-${Date.now()}`;
    if (target !== host) this.#problems.push(`${host} changed meanwhile: see ${basename(target)}`);
    move(copy, target);
  }

  /** Removes what the command removed, unless the host changed it. */
  #removed(): void {
    const { home, root, before } = this.#layout;
    for (const [path, start] of Object.entries(before).reverse()) {
      if (stampOf(join(root, path)) !== undefined || this.#held.has(path)) continue;
      const host = join(home, path);
      if (above(path).some((parent) => this.#held.has(parent)) || stampOf(host) !== start.host)
        continue;
      try {
        if (start.host === "directory") rmdirSync(host);
        else unlinkSync(host);
      } catch {
        // Not empty, or not the user's.
      }
    }
  }
}

/** All directories above a relative path. */
function above(path: string): string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [parent, ...above(parent)];
}

function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode: mode & 0o777 });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST" || !lstatSync(path).isDirectory()) throw thrown;
  }
}

/** Removes devices, pipes and sockets, and privileges of files. False if nothing is left. */
function tidy(path: string): boolean {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return true;
  if (found.isDirectory()) for (const { name } of entriesOf(path)) tidy(join(path, name));
  else if (!found.isFile()) {
    rmSync(path);
    return false;
  }
  if ((found.mode & 0o7000) !== 0) chmodSync(path, found.mode & 0o777);
  return true;
}

/** By renaming, or from another file system by a copy beside the target that then replaces it. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ENOTDIR" || code === "EISDIR") {
      // A file in place of a directory, or the other way round; the directory is the host's if it is not empty.
      if (code === "EISDIR") rmdirSync(to);
      else unlinkSync(to);
      move(from, to);
      return;
    }
    if (code !== "EXDEV") throw thrown;
    const beside = join(dirname(to), `.${basename(to)}.sandbox-${process.pid}`);
    cpSync(from, beside, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    own(from, beside);
    renameSync(beside, to);
  }
}

/** Keeps the owner of copies that root makes for another user. */
function own(from: string, to: string): void {
  const found = lstatSync(from);
  giveToOwnerOf(found, to);
  if (found.isDirectory())
    for (const { name } of entriesOf(from)) own(join(from, name), join(to, name));
}
