/** Hides sockets and named pipes that processes of the host open while a command runs, a moment after they appear. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { boundNames, inUse, socketsNamed } from "./host-sockets.js";
import { isWithin } from "./paths.js";
import { SpecialFileWatch } from "./special-files.js";

export interface WatchedSandbox {
  /** Host directories that are visible inside. */
  readonly visible: readonly string[];
  /** The nearest writable directories. */
  readonly directories: () => readonly string[];
  /** Sockets that stay as they are. */
  readonly allowed: readonly string[];
  /** The files of these that no process inside made. */
  withoutOwn(paths: readonly string[]): Promise<readonly string[]>;
  /** Covers a path inside. */
  mask(path: string): void;
}

/** What was there when the command's view was made. */
export interface SocketsAtStart {
  /** Names that sockets of the host were bound to. */
  readonly names: readonly string[];
  /** Sockets and pipes of the watched directories, with their identities. */
  readonly files: ReadonlyMap<string, string>;
  /** Host directories to look for files in, with those below. */
  readonly roots: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const lookMs = 100;
/** A server binds a socket before it listens; a command opens a pipe after it makes it. */
const waitingLooks = 10;
const watches = new Set<SocketWatch>();
let timer: NodeJS.Timeout | undefined;

/** All watches share one reading of the table. */
function look(): void {
  const names = boundNames();
  for (const watch of watches) watch.look(names);
}

export class SocketWatch implements Disposable {
  readonly #sandbox: WatchedSandbox;
  #names: ReadonlySet<string>;
  #since: number;
  readonly #files: SpecialFileWatch;
  /** Files that no process uses yet, and how often they are looked at. */
  readonly #waiting = new Map<string, number>();
  #isLooking = false;
  readonly #hiddenPipes = new Set<string>();

  constructor(sandbox: WatchedSandbox, { names, files, roots, since }: SocketsAtStart) {
    this.#sandbox = sandbox;
    this.#names = new Set(names);
    this.#since = since;
    this.#files = new SpecialFileWatch(roots, files);
    watches.add(this);
    timer ??= setInterval(look, lookMs).unref();
  }

  /** Pipes that appeared and were hidden. The command may have made one that it did not open at once. */
  get hiddenPipes(): readonly string[] {
    return [...this.#hiddenPipes];
  }

  look(names: readonly string[]): void {
    this.#lookAtNames(names);
    if (this.#isLooking) return;
    this.#isLooking = true;
    // A path may vanish at any moment; the next look sees the rest.
    const done = () => {
      this.#isLooking = false;
    };
    this.#lookAtFiles().then(done, done);
  }

  #lookAtNames(names: readonly string[]): void {
    const since = this.#since;
    const fresh = names.filter((name) => !this.#names.has(name));
    this.#names = new Set(names);
    this.#since = Date.now() - lookMs;
    if (fresh.length === 0) return;
    const { directories, mask } = this.#sandbox;
    const present = fresh.filter((name) => name.startsWith("/") && existsSync(name));
    const elsewhere = fresh.filter((name) => !present.includes(name));
    // A socket of the command's is among these only by chance.
    const recent = socketsNamed(elsewhere, directories).possible.filter(
      (path) => changedAt(path) >= since,
    );
    for (const path of [...present, ...recent].map(withoutLinks))
      if (this.#isReachable(path)) mask(path);
  }

  async #lookAtFiles(): Promise<void> {
    const waiting = [...this.#waiting.keys()];
    const appeared = (await this.#files.appeared()).filter((path) => this.#isReachable(path));
    const isPipe = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
    for (const path of appeared) this.#waiting.set(path, isPipe(path) ? 1 : waitingLooks);
    const looked = [...waiting, ...appeared.filter((path) => !isPipe(path))];
    if (looked.length === 0) return;
    const foreign = new Set(await inUse(await this.#sandbox.withoutOwn(looked)));
    for (const path of looked) {
      const left = (this.#waiting.get(path) ?? 0) - 1;
      if (foreign.has(path) || left <= 0) this.#waiting.delete(path);
      else this.#waiting.set(path, left);
      if (!foreign.has(path)) continue;
      if (isPipe(path)) this.#hiddenPipes.add(path);
      this.#sandbox.mask(path);
    }
  }

  #isReachable(path: string): boolean {
    const { visible, allowed } = this.#sandbox;
    const isVisible = visible.some((directory) => isWithin(path, directory));
    return isVisible && !allowed.includes(path);
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
    watches.delete(this);
    if (watches.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }
}

/** Another path of a file is no other file. */
function withoutLinks(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

const changedAt = (path: string): number =>
  lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
