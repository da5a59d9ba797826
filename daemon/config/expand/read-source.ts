/** Trees of source texts, cached by content. */
import { dirname } from "node:path";
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import { parse } from "../../../grammar/parse.js";
import type * as tree from "../../../grammar/tree.js";
import { readJsonSource } from "../json/read.js";
import { limits } from "../limits.js";
import { displayName } from "../paths.js";
import { TimeSlices } from "../time-slices.js";

interface Parsed {
  readonly tree: tree.File;
  readonly diagnostics: readonly Diagnostic[];
}

/** Names of files with cached trees: as many as two of the largest configurations have. */
const NAMES = 512;
/** Texts of one name with cached trees: what an edit goes back and forth between. */
const VERSIONS = 3;
/** By name, then by the digest of the text, the oldest first. */
const trees = new Map<string, Map<string, Parsed>>();

/** `hash` is the text's digest; diagnostics carry `name`. */
export function readSource(path: string, name: string, text: string, hash: string): Parsed {
  const versions = trees.get(name) ?? new Map<string, Parsed>();
  const source = { path: name, text };
  const parsed =
    versions.get(hash) ?? (path.endsWith(".json") ? readJsonSource(source) : parse(source));
  renew(versions, hash, parsed, VERSIONS);
  renew(trees, name, versions, NAMES);
  return parsed;
}

/** Makes an entry the newest one, and drops the oldest where there are too many. */
function renew<Entry>(cache: Map<string, Entry>, key: string, entry: Entry, most: number): void {
  cache.delete(key);
  cache.set(key, entry);
  if (cache.size > most) cache.delete(cache.keys().next().value as string);
}

interface SourceText {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

/** Parses what the next pass is to read, in time slices; a pass reads all files in one. Stops at the limit of all texts. */
export async function parseAhead(root: string, texts: readonly SourceText[]): Promise<void> {
  const slices = new TimeSlices();
  let length = 0;
  for (const { path, text, hash } of texts) {
    length += text.length;
    if (length > limits.text) return;
    if (slices.isOver) await slices.next();
    readSource(path, displayName(path, dirname(root)), text, hash);
  }
}
