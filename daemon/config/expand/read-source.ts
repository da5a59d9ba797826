/** Trees of source texts, cached by content. */

import { dirname } from "node:path";
import type { Source } from "../../../grammar/diagnostic.js";
import { type Parsed, parseInParts } from "../../../grammar/parse.js";
import { atOnce, type InParts } from "../../../grammar/reading/read-file.js";
import { isTurnOver, nextTurn } from "../../plugin-api/turns.js";
import { readJsonInParts } from "../json/read.js";
import { limits } from "../limits.js";
import { displayName } from "../paths.js";

interface SourceText {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** The digest of the text. */
  readonly hash: string;
}

interface Version {
  readonly key: string;
  readonly length: number;
  readonly parsed: Parsed;
}

/** Names of files with cached trees: as many as two of the largest configurations have. */
const NAMES = 512;
/** UTF-16 code units of all earlier texts whose trees are cached: what edits go back and forth between. A tree is many times as large as its text. */
const EARLIER = 256 * 1024;
/** By name, the one read longest ago first. */
const newest = new Map<string, Version>();
/** By name and digest, the one replaced longest ago first. */
const earlier = new Map<string, Version>();
let earlierLength = 0;

/** Diagnostics carry `name`. */
export const readSource = (name: string, text: SourceText): Parsed =>
  cached(name, text) ?? keep(name, text, atOnce(treeOf(name, text)));

/** Parses what the next pass is to read, while the event loop serves requests; a pass reads all files in one turn. Stops at the limit of all texts. */
export async function parseAhead(root: string, texts: readonly SourceText[]): Promise<void> {
  let length = 0;
  for (const each of texts) {
    length += each.text.length;
    if (length > limits.text) return;
    const name = displayName(each.path, dirname(root));
    if (cached(name, each)) continue;
    const parts = treeOf(name, each);
    let part = parts.next();
    while (!part.done) {
      if (isTurnOver()) await nextTurn();
      part = parts.next();
    }
    keep(name, each, part.value);
  }
}

function* treeOf(name: string, { path, text }: SourceText): InParts<Parsed> {
  const source: Source = { path: name, text };
  return yield* path.endsWith(".json") ? readJsonInParts(source) : parseInParts(source);
}

const keyOf = (name: string, { hash }: SourceText): string => `${name}\0${hash}`;

function cached(name: string, text: SourceText): Parsed | undefined {
  const key = keyOf(name, text);
  const current = newest.get(name);
  if (current?.key === key) {
    renew(name, current);
    return current.parsed;
  }
  const version = earlier.get(key);
  return version && keep(name, text, version.parsed);
}

function keep(name: string, text: SourceText, parsed: Parsed): Parsed {
  const current = newest.get(name);
  const version = { key: keyOf(name, text), length: text.text.length, parsed };
  renew(name, version);
  // Another load may have kept the same text meanwhile.
  forget(version.key);
  if (current && current.key !== version.key) {
    earlier.set(current.key, current);
    earlierLength += current.length;
  }
  for (const oldest of earlier.keys()) {
    if (earlierLength <= EARLIER) break;
    forget(oldest);
  }
  return parsed;
}

function renew(name: string, version: Version): void {
  newest.delete(name);
  newest.set(name, version);
  if (newest.size > NAMES) newest.delete(newest.keys().next().value as string);
}

function forget(key: string): void {
  earlierLength -= earlier.get(key)?.length ?? 0;
  earlier.delete(key);
}
