/** Paths that a command may not read or write and that no mount at the start can hold. */
import { existsSync, lstatSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../errors.js";
import { stampOf } from "./entries.js";
import { isDirectory } from "./paths.js";
import { type MovedAside, moveAside } from "./repositories.js";

const lookMs = 100;

/** Hides unreadable paths that appear, or that processes of the host replace, while the command runs. */
export class DeniedPathWatch implements Disposable {
  readonly #paths: readonly string[];
  readonly #mask: (path: string, source: string) => void;
  readonly #sources: { readonly file: string; readonly directory: string };
  /** What is hidden, by its path. */
  readonly #hidden = new Map<string, string>();
  readonly #timer: NodeJS.Timeout | undefined;

  /** @param mask covers a path with an empty file or directory, which it gets */
  constructor(
    paths: readonly string[],
    hidden: ReadonlyMap<string, string>,
    sources: { readonly file: string; readonly directory: string },
    mask: (path: string, source: string) => void,
  ) {
    this.#paths = paths;
    this.#mask = mask;
    this.#sources = sources;
    this.#hidden = new Map(hidden);
    this.#timer = paths.length > 0 ? setInterval(() => this.#look(), lookMs).unref() : undefined;
  }

  #look(): void {
    for (const [path, file] of filesAt(this.#paths)) {
      if (this.#hidden.get(path) === file) continue;
      this.#hidden.set(path, file);
      this.#mask(path, isDirectory(path) ? this.#sources.directory : this.#sources.file);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** The real paths that these lead to, with the identity of the file there. */
export function filesAt(paths: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of paths) {
    try {
      const real = realpathSync(path);
      const { dev, ino, birthtimeMs } = lstatSync(real);
      found.set(real, `${dev} ${ino} ${birthtimeMs}`);
    } catch {
      // It does not exist.
    }
  }
  return found;
}

/** An empty directory, to cover others with. */
export function emptyDirectory(workDirectory: string): string {
  const path = join(workDirectory, "empty-directory");
  mkdirSync(path, { recursive: true, mode: 0o555 });
  return path;
}

/** Paths that are missing or links, with their stamps; a missing one has an empty stamp. */
export type UnheldPaths = Readonly<Record<string, string>>;

export const unheld = (paths: readonly string[]): UnheldPaths =>
  Object.fromEntries(
    paths
      .map((path) => [path, stampOf(path) ?? ""] as const)
      .filter(([, stamp]) => stamp === "" || stamp.startsWith("link ")),
  );

/** Moves aside what the command made there, and restores links. Once, when every process of it has ended. */
export function reviewUnheld(paths: UnheldPaths): {
  readonly moved: readonly MovedAside[];
  readonly problems: readonly string[];
} {
  const moved: MovedAside[] = [];
  const problems: string[] = [];
  for (const [path, stamp] of Object.entries(paths)) {
    try {
      if ((stampOf(path) ?? "") === stamp) continue;
      if (stampOf(path) !== undefined) moved.push(moveAside(path));
      if (stamp !== "" && !existsSync(path)) symlinkSync(stamp.slice("link ".length), path);
    } catch (thrown) {
      problems.push(`${path} (${systemCode(thrown) ?? thrown})`);
    }
  }
  return { moved, problems };
}
