/** The directories that are being watched now, kept in step with what is wanted. */
import { errorMessage } from "../errors.js";
import type { Log } from "../plugin-api/context.js";
import { DIRECTORIES, type Enter, survey } from "./directories.js";
import { type DirectoryWatch, watchDirectory } from "./directory-watch.js";
import type { MatchedFiles } from "./glob-walk.js";
import { matchedFiles } from "./pattern.js";

/** Directories that come and go faster than they can be watched are looked at again with the next event. */
const ROUNDS = 8;

interface Armed {
  readonly identity: string;
  readonly watch: DirectoryWatch;
}

export class DirectoryWatches {
  readonly #armed = new Map<string, Armed>();
  readonly #log: Log;
  readonly #happened: (directory: string, name: string | null) => void;
  readonly #watchDirectory: typeof watchDirectory;
  /** One at a time, or a directory would be armed twice. */
  #turn: Promise<unknown> = Promise.resolve();
  #unwatchable = false;
  #saidTooMany = false;
  #closed = false;

  constructor(
    log: Log,
    happened: (directory: string, name: string | null) => void,
    arm: typeof watchDirectory = watchDirectory,
  ) {
    this.#log = log;
    this.#watchDirectory = arm;
    this.#happened = happened;
  }

  /** Whether some directory cannot be watched, so that files have to be looked at often. */
  get unwatchable(): boolean {
    return this.#unwatchable;
  }

  get paths(): readonly string[] {
    return [...this.#armed.keys()];
  }

  /**
   * When it resolves, nothing that changes one of the wanted files is missed. A directory that appears while others
   * are being armed may lead to more of them, so it goes on until nothing is new. Resolves to what was found in the
   * end, in the order of what is wanted.
   */
  aim(wanted: readonly string[]): Promise<readonly MatchedFiles[]> {
    const turn = this.#turn.then(() => this.#aim(wanted));
    this.#turn = turn;
    return turn;
  }

  async #aim(wanted: readonly string[]): Promise<readonly MatchedFiles[]> {
    for (let round = 0; round <= ROUNDS && !this.#closed; round += 1) {
      const { directories, found: there } = await survey(wanted, this.#enter);
      if (directories.size >= DIRECTORIES) this.#tooMany();
      if (!there) continue;
      await this.#drop((path) => !directories.has(path));
      return there;
    }
    // Whatever was missed may be anywhere.
    this.#happened("/", null);
    return Promise.all(wanted.map((each) => matchedFiles(each)));
  }

  readonly #enter: Enter = async (path, disk) => {
    const stats = await disk.stat(path);
    const identity = stats && `${stats.dev}:${stats.ino}`;
    const armed = this.#armed.get(path);
    if (armed && !armed.watch.dead && armed.identity === identity) return false;
    if (armed) await this.#drop((each) => each === path);
    return identity !== undefined && this.#arm(path, identity);
  };

  async #arm(path: string, identity: string): Promise<boolean> {
    if (this.#closed) return false;
    try {
      const fail = (error: unknown) => this.#fail(path, error);
      const happened = (name: string | null) => this.#happened(path, name);
      const watch = await this.#watchDirectory(path, happened, fail);
      if (this.#closed) await watch.close();
      else this.#armed.set(path, { identity, watch });
      return true;
    } catch (error) {
      this.#fail(path, error);
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    await this.#drop(() => true);
  }

  #fail(path: string, error: unknown): void {
    if (this.#unwatchable || this.#closed) return;
    this.#unwatchable = true;
    this.#log.warn("A directory cannot be watched, so its files are looked at every second", {
      path,
      reason: reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? errorMessage(error),
    });
  }

  #tooMany(): void {
    if (this.#saidTooMany) return;
    this.#saidTooMany = true;
    this.#log.warn("Too many directories to watch; edits in the rest are noticed after a while", {
      watched: DIRECTORIES,
    });
  }

  async #drop(isOver: (path: string) => boolean): Promise<void> {
    const over = [...this.#armed].filter(([path]) => isOver(path));
    for (const [path] of over) this.#armed.delete(path);
    await Promise.all(over.map(([, { watch }]) => watch.close()));
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the system has no watches left; raise fs.inotify.max_user_watches",
  EMFILE: "too many files are open; raise fs.inotify.max_user_instances or the limit of open files",
  EACCES: "permission denied",
};
