/** Hides sockets that processes of the host open while a command runs, a moment after they appear. */
import { spawn } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { helper, helperPath } from "./helpers.js";
import { boundNames, socketsNamed } from "./host-sockets.js";
import { isWithin } from "./paths.js";

export interface WatchedSandbox {
  /** Host directories that are visible inside. */
  readonly visible: readonly string[];
  /** The nearest writable directories. */
  readonly directories: () => readonly string[];
  /** Sockets that stay as they are. */
  readonly allowed: readonly string[];
  /** Covers a path inside. */
  mask(path: string): void;
}

const lookMs = 100;
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

  /** @param names of the sockets that were masked at the start, at `since`, milliseconds since the epoch */
  constructor(sandbox: WatchedSandbox, names: readonly string[], since: number) {
    this.#sandbox = sandbox;
    this.#names = new Set(names);
    this.#since = since;
    watches.add(this);
    timer ??= setInterval(look, lookMs).unref();
  }

  look(names: readonly string[]): void {
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
    for (const path of [...present, ...recent]) if (this.#isReachable(path)) mask(path);
  }

  #isReachable(path: string): boolean {
    const { visible, allowed } = this.#sandbox;
    const isVisible = visible.some((directory) => isWithin(path, directory));
    return isVisible && !allowed.includes(path);
  }

  [Symbol.dispose](): void {
    watches.delete(this);
    if (watches.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }
}

const changedAt = (path: string): number =>
  lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;

/**
 * Mounts an empty file over a path in the namespace that bubblewrap starts in. Its mounts are shared with those that
 * bubblewrap makes of them, so the command sees the file, wherever the path is visible.
 */
export function maskFromOutside(pid: number, emptyFile: string, path: string): void {
  const user = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"];
  const target = ["--target", String(pid), ...user, "--mount", "--"];
  const mount = [helper("mount"), "--bind", emptyFile, path];
  const child = spawn(helper("nsenter"), [...target, ...mount], {
    env: { PATH: helperPath },
    stdio: "ignore",
  });
  // The socket or the run may be gone.
  child.on("error", () => {});
}
