/** Text becomes a tree, once for every content: an edit of one file leaves the trees of all others as they are. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import { parse } from "../../../grammar/parse.js";
import type * as tree from "../../../grammar/tree.js";
import { readJsonSource } from "../json/read.js";

interface Parsed {
  readonly tree: tree.File;
  readonly diagnostics: readonly Diagnostic[];
}

/** Trees kept; as many as the largest configuration has files, twice. */
const KEPT = 512;
const trees = new Map<string, Parsed>();

/** `hash` is the text's digest; diagnostics carry `name`. */
export function readSource(path: string, name: string, text: string, hash: string): Parsed {
  const key = `${hash} ${name}`;
  const known = trees.get(key);
  if (known) {
    trees.delete(key);
    trees.set(key, known);
    return known;
  }
  const source = { path: name, text };
  const parsed = path.endsWith(".json") ? readJsonSource(source) : parse(source);
  trees.set(key, parsed);
  if (trees.size > KEPT) trees.delete(trees.keys().next().value as string);
  return parsed;
}
