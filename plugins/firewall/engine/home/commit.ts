/**
 * Takes over what a command changed in a home directory, once it has ended: what overlayfs has in the upper layer becomes the host's by renaming, entry by
 * entry. A step that was cut off can be done again: what is taken over is no longer in the layer, or newer than the run.
 */
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemCode } from "../../errors.js";
import { entriesOf } from "../entries.js";
import type { MovedAside } from "../repositories.js";
import { flush, isFilled, isRemoval, isSame, move, openUp } from "./entries.js";
import { type FileAttributes, fileAttributes } from "./file-attributes.js";
import { below, KeptPaths } from "./keeping.js";
import type { HomeLayout } from "./layout.js";
import { layers, opaque } from "./overlay.js";
import { reviewUpper } from "./repositories.js";

/** What a command left that the host does not have as it was left. */
export interface Commit {
  /** What git would run, by paths of the host. */
  readonly moved: readonly MovedAside[];
  /** Paths that are not kept, absolute. */
  readonly held: readonly string[];
  /** Changes kept beside files that the host changed meanwhile, and changes that failed. */
  readonly problems: readonly string[];
  /** False if a change failed; it stays where it is. */
  readonly isComplete: boolean;
}

/** So many entries without a turn for other work. */
const slice = 200;
/** A file with it was the host's before the command changed it. */
const origin = "user.overlay.origin";
const ownAttributes = [opaque, origin, "user.overlay.impure", "user.overlay.uuid"];

/** As the owner of the home directory: links in it cannot lead to what that user may not change. */
export async function commitHome(layout: HomeLayout): Promise<Commit> {
  const attributes = await fileAttributes();
  const { moved, problems } = reviewUpper(layout, attributes);
  const commit = await new Committing(layout, attributes).run();
  return { ...commit, moved, problems: [...problems, ...commit.problems] };
}

class Committing {
  readonly #layout: HomeLayout;
  readonly #kept: KeptPaths;
  readonly #attributes: FileAttributes;
  readonly #held: string[] = [];
  readonly #problems: string[] = [];
  #isComplete = true;
  #count = 0;

  constructor(layout: HomeLayout, attributes: FileAttributes) {
    this.#layout = layout;
    this.#kept = new KeptPaths(layout);
    this.#attributes = attributes;
  }

  async run(): Promise<Omit<Commit, "moved">> {
    await this.#directory("", false);
    const [held, problems, isComplete] = [this.#held, this.#problems, this.#isComplete];
    return { held, problems, isComplete };
  }

  /** The entries of a directory that the host has; `isNew`: the command made it anew. */
  async #directory(directory: string, isNew: boolean): Promise<void> {
    for (const { name } of entriesOf(this.#upper(directory))) {
      const path = below(directory, name);
      this.#count += 1;
      if (this.#count % slice === 0) await nextTurn();
      try {
        await this.#entry(path, isNew);
      } catch (thrown) {
        this.#isComplete = false;
        this.#problems.push(
          `${this.#host(path)} (${systemCode(thrown) ?? (thrown as Error).message})`,
        );
      }
    }
  }

  async #entry(path: string, isNew: boolean): Promise<void> {
    const upper = this.#upper(path);
    const found = lstatSync(upper);
    const keeping = this.#kept.of(path);
    if (keeping !== "keep") {
      if (found.isDirectory() && keeping === "enter") await this.#enter(path);
      else this.#hold(path, found);
      return;
    }
    const now = lstatSync(this.#host(path), { throwIfNoEntry: false });
    if (isRemoval(found)) this.#remove(path, now);
    else if (found.isDirectory()) await this.#keepDirectory(path, found, now, isNew);
    else if (found.isFile() || found.isSymbolicLink()) this.#keepFile(path, found, now);
    else rmSync(upper);
  }

  /** Names what is not kept, in directories that the host has one by one. */
  #hold(path: string, found: Stats): void {
    const now = lstatSync(this.#host(path), { throwIfNoEntry: false });
    if (!found.isDirectory() || !now?.isDirectory()) return void this.#held.push(this.#host(path));
    for (const { name } of entriesOf(this.#upper(path)))
      this.#hold(below(path, name), lstatSync(this.#upper(below(path, name))));
  }

  /** A directory that is kept only for what is kept below. */
  async #enter(path: string): Promise<void> {
    const host = this.#host(path);
    const now = lstatSync(host, { throwIfNoEntry: false });
    if (now?.isDirectory()) return this.#directory(path, false);
    const isKeptBelow = entriesOf(this.#upper(path)).some(
      ({ name }) => this.#kept.of(below(path, name)) !== "hold",
    );
    if (now !== undefined || !isKeptBelow) return void this.#held.push(host);
    mkdirSync(host, { mode: 0o755 });
    await this.#directory(path, false);
    if (entriesOf(host).length === 0) rmdirSync(host);
  }

  async #keepDirectory(
    path: string,
    found: Stats,
    now: Stats | undefined,
    isNew: boolean,
  ): Promise<void> {
    const [upper, host] = [this.#upper(path), this.#host(path)];
    if (now && !now.isDirectory()) {
      if (this.#isNewer(now)) return this.#moveBeside(path);
      unlinkSync(host);
    }
    const isThere = now?.isDirectory() === true;
    const times = lstatSync(upper, { bigint: true });
    if (!isThere && this.#kept.isWhole(path)) {
      await this.#clean(path);
      // Only what its owner can write may be renamed into another directory.
      openUp(upper, found);
      move(upper, host);
      chmodSync(host, found.mode & 0o7777);
      this.#attributes.setTimes(host, times);
      return;
    }
    openUp(upper, found);
    const replaces = isNew || this.#attributes.get(upper, opaque) === "y";
    if (!isThere) mkdirSync(host, { mode: 0o700 });
    else if (replaces) this.#empty(path);
    await this.#directory(path, replaces);
    if (!isThere || !this.#isNewer(now)) {
      this.#attributes.copy(upper, host, isCopied);
      chmodSync(host, found.mode & 0o7777);
      this.#attributes.setTimes(host, times);
    }
    if (isFilled(upper)) chmodSync(upper, found.mode & 0o7777);
    else rmdirSync(upper);
  }

  /** Removes what the host has in a directory that the command removed and made again. */
  #empty(directory: string): void {
    for (const { name } of entriesOf(this.#host(directory))) {
      const path = below(directory, name);
      const isMadeAgain = lstatSync(this.#upper(path), { throwIfNoEntry: false }) !== undefined;
      if (!isMadeAgain) this.#removeTree(path, lstatSync(this.#host(path)));
    }
  }

  #remove(path: string, now: Stats | undefined): void {
    if (now) this.#removeTree(path, now);
    rmSync(this.#upper(path));
  }

  /** Without what the host changed meanwhile. */
  #removeTree(path: string, found: Stats): void {
    const host = this.#host(path);
    if (this.#kept.of(path) !== "keep") return;
    if (!found.isDirectory()) {
      if (this.#isNewer(found)) this.#problems.push(`${host} changed meanwhile and stays`);
      else unlinkSync(host);
      return;
    }
    for (const { name } of entriesOf(host))
      this.#removeTree(below(path, name), lstatSync(join(host, name)));
    try {
      rmdirSync(host);
    } catch (thrown) {
      if (!["ENOTEMPTY", "EBUSY"].includes(systemCode(thrown) ?? "")) throw thrown;
    }
  }

  #keepFile(path: string, found: Stats, now: Stats | undefined): void {
    const [upper, host] = [this.#upper(path), this.#host(path)];
    if (now && this.#isNewer(now)) {
      if (!isSame(upper, found, host, now)) this.#moveBeside(path);
      else rmSync(upper);
      return;
    }
    if (now?.isDirectory()) {
      this.#removeTree(path, now);
      if (lstatSync(host, { throwIfNoEntry: false })) {
        this.#moveBeside(path);
        return;
      }
    }
    const isChanged = this.#attributes.has(upper, origin);
    this.#strip(upper, found);
    // Another name of the file stays one.
    if (now?.isFile() && now.nlink > 1 && isChanged && found.isFile()) {
      copyFileSync(upper, host);
      this.#attributes.copy(upper, host, isCopied);
      chmodSync(host, found.mode & 0o777);
      this.#attributes.setTimes(host, lstatSync(upper, { bigint: true }));
      rmSync(upper);
    } else move(upper, host);
  }

  /** Kept beside what the host changed. */
  #moveBeside(path: string): void {
    const host = this.#host(path);
    const beside = `${host}.sandbox-${Date.now()}`;
    this.#problems.push(`${host} changed meanwhile: see ${basename(beside)}`);
    this.#strip(this.#upper(path), lstatSync(this.#upper(path)));
    move(this.#upper(path), beside);
  }

  /** Prepares a tree that the host gets as it is. */
  async #clean(path: string): Promise<void> {
    const upper = this.#upper(path);
    const found = lstatSync(upper);
    this.#strip(upper, found);
    if (!found.isDirectory()) return;
    const times = lstatSync(upper, { bigint: true });
    openUp(upper, found);
    for (const { name } of entriesOf(upper)) {
      this.#count += 1;
      if (this.#count % slice === 0) await nextTurn();
      const entry = lstatSync(join(upper, name));
      if (entry.isDirectory() || entry.isFile() || entry.isSymbolicLink())
        await this.#clean(below(path, name));
      else rmSync(join(upper, name));
    }
    chmodSync(upper, found.mode & 0o7777);
    this.#attributes.setTimes(upper, times);
  }

  /** Removes the attributes of the overlay, and privileges; what is renamed must be on the disk first. */
  #strip(upper: string, found: Stats): void {
    for (const name of ownAttributes) this.#attributes.remove(upper, name);
    if (found.isSymbolicLink()) return;
    if (!found.isFile()) return;
    if ((found.mode & 0o6000) !== 0) chmodSync(upper, found.mode & 0o1777);
    flush(upper);
  }

  /** Whether the host changed it since the start. */
  #isNewer({ ctimeMs }: Stats): boolean {
    return ctimeMs >= this.#layout.since;
  }

  #upper(path: string): string {
    return join(this.#layout.root, layers.upper, path);
  }

  #host(path: string): string {
    return join(this.#layout.home, path);
  }
}

/** Of those that the command has changed, not of those that the system keeps. */
const isCopied = (name: string): boolean =>
  !name.startsWith("user.overlay.") && /^(?:user\.|system\.posix_acl_)/.test(name);
