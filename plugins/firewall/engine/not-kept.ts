/** What commands wrote in the home directory that is not kept: it stays apart for a while, since it may be all that is left of a file. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "./entries.js";
import { move } from "./home/entries.js";
import { type Layers, layers } from "./home/overlay.js";
import { makePrivate, removeTree } from "./paths.js";

/** Milliseconds, and how many runs at most. */
const most = { age: 7 * 24 * 3_600_000, runs: 20 };

/**
 * Moves what is left in the upper layers.
 * @param id of the run: milliseconds since the epoch
 * @returns the new directory; undefined if there is nothing
 */
export function keepApart(
  directory: string,
  id: string,
  homes: readonly Layers[],
): string | undefined {
  const filled = homes.filter(({ root }) => entriesOf(join(root, layers.upper)).length > 0);
  if (filled.length === 0 || !makePrivate(directory)) return undefined;
  const made = join(directory, id);
  mkdirSync(made, { recursive: true, mode: 0o700 });
  for (const { name, root } of filled) move(join(root, layers.upper), join(made, name));
  return made;
}

/** Removes what has been there for long. */
export function removeOld(directory: string, now: number): void {
  const ids = entriesOf(directory).map(({ name }) => name);
  const newest = ids.toSorted().slice(-most.runs);
  for (const id of ids)
    if (!newest.includes(id) || now - Number(id) > most.age) removeTree(join(directory, id));
}
