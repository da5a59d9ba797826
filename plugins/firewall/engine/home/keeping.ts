/** Which changes of a home directory are kept. */
import { join } from "node:path";
import { entriesOf } from "../entries.js";
import { isWithin } from "../paths.js";
import { type Keeping, neverKept, usualKeeping } from "./kept-paths.js";
import type { HomeLayout } from "./layout.js";
import { hasUpper, layers } from "./overlay.js";

const isIn = (path: string, directories: readonly string[]): boolean =>
  directories.some((each) => isWithin(path, each));

export class KeptPaths {
  readonly #layout: HomeLayout;

  constructor(layout: HomeLayout) {
    this.#layout = layout;
  }

  /** @param path in the home */
  of(path: string): Keeping {
    const { writable, opened, allowed, held, relocated } = this.#layout;
    if (isIn(path, allowed)) return "keep";
    const relocation = relocated.find(({ at }) => isWithin(path, at));
    const usual = relocation ? join(relocation.usual, path.slice(relocation.at.length)) : path;
    const isClosed = isIn(path, held) || !(writable || isIn(path, opened));
    const keeping = isClosed ? "hold" : usualKeeping(usual);
    const isAbove = (each: string) => each.startsWith(`${path}/`);
    const mayHave = allowed.some(isAbove) || (!writable && opened.some(isAbove));
    return keeping === "hold" && mayHave ? "enter" : keeping;
  }

  /** Whether everything below a kept directory is kept. */
  isWhole(path: string): boolean {
    const { held, relocated } = this.#layout;
    const others = [...held, ...neverKept, ...relocated.map(({ at }) => at)];
    return (
      !relocated.some(({ at }) => isWithin(path, at)) &&
      !others.some((each) => each.startsWith(`${path}/`))
    );
  }
}

/** Paths of the host that differ from what the command left, at most so many. */
const mostChanges = 1000;

/** What the command made, changed or removed and is kept, by paths of the host. */
export function changesIn(layout: HomeLayout): string[] {
  if (!hasUpper(layout)) return [];
  const kept = new KeptPaths(layout);
  const found: string[] = [];
  const queue = new Set([""]);
  for (const directory of queue) {
    for (const entry of entriesOf(join(layout.root, layers.upper, directory))) {
      const path = below(directory, entry.name);
      const keeping = kept.of(path);
      if (entry.isDirectory() && keeping !== "hold") queue.add(path);
      else if (keeping === "keep") found.push(join(layout.home, path));
      if (found.length >= mostChanges) return found;
    }
  }
  return found;
}

/** The path of an entry of a directory of the home. */
export const below = (directory: string, name: string): string =>
  directory === "" ? name : `${directory}/${name}`;
