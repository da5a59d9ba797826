/** Pipfile.lock: versions and hashes in its entries, and the hash of the Pipfile. */

import type { Lookup } from "../../../registries/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import { normalizedName } from "../manifest/written-requirement.js";
import { metadataOf } from "../registry.js";
import { assertAllowed, assertSameNeeds, bothOf, needsOf, type PythonMove } from "../resolve.js";
import { pipfileHash } from "./content-hash.js";
import { releaseSums } from "./hashes.js";

export interface PipfileLock {
  /** Line feeds only, no byte order mark. */
  readonly lock: string;
  /** Pipfile before and after. */
  readonly before: string;
  readonly after: string;
  readonly versions: ReadonlyMap<string, string>;
  /** The sources of packages. */
  readonly index: string;
}

export interface PipfileEntry {
  readonly hashes?: readonly string[];
  readonly version?: string;
}

type Entries = Readonly<Record<string, PipfileEntry>>;

interface Content {
  readonly _meta?: { readonly hash?: { readonly sha256?: string } };
  readonly [section: string]: unknown;
}

/** `default`, `develop` and custom categories, in order. @throws SyntaxError */
export function readPipfileLock(lock: string): {
  readonly content: Content;
  readonly sections: readonly (readonly [section: string, entries: Entries])[];
} {
  const content = JSON.parse(lock) as Content;
  const sections = Object.entries(content).flatMap(([section, entries]) =>
    section === "_meta" || typeof entries !== "object" || entries === null
      ? []
      : [[section, entries as Entries] as const],
  );
  return { content, sections };
}

export const writtenPipfileLock = (
  content: Content,
  sections: readonly (readonly [section: string, entries: Entries])[],
): string => `${JSON.stringify({ ...content, ...Object.fromEntries(sections) }, undefined, 4)}\n`;

/** @throws LockFallback; UpdatesError `does_not_resolve`; as `Lookup` */
export async function movedInPipfile(
  { lock, before, after, versions, index }: PipfileLock,
  moves: readonly PythonMove[],
  lookup: Lookup,
): Promise<string> {
  const { content, sections: found } = readPipfileLock(lock);
  // Only a lock that is written back unchanged is understood well enough.
  if (writtenPipfileLock(content, found) !== lock)
    throw new LockFallback("Pipfile.lock is written in another way than Pipenv writes it.");
  if (content._meta?.hash?.sha256 !== pipfileHash(before))
    throw new LockFallback(
      "Pipfile.lock was made for another Pipfile, or by another version of Pipenv.",
    );
  let sections = found;
  for (const move of moves) {
    const { old, next } = await bothOf(move, lookup);
    assertSameNeeds(move, old, next, versions);
    await assertOthersAllow(move, versions, index, lookup);
    const was = await releaseSums({ ...move, to: move.from }, lookup);
    const now = await releaseSums(move, lookup);
    sections = sections.map(([section, entries]) => [
      section,
      Object.fromEntries(
        Object.entries(entries).map(([key, entry]) =>
          normalizedName(key) === move.name
            ? [key, entryMoved(entry, move, was, now)]
            : [key, entry],
        ),
      ),
    ]);
  }
  const meta = { ...content._meta, hash: { ...content._meta.hash, sha256: pipfileHash(after) } };
  return writtenPipfileLock({ ...content, _meta: meta }, sections);
}

function entryMoved(
  entry: PipfileEntry,
  { name, from, to }: PythonMove,
  was: readonly string[],
  now: readonly string[],
): PipfileEntry {
  const prefixed = (sums: readonly string[]): readonly string[] =>
    sums.map((sum) => `sha256:${sum}`);
  if (
    entry.version !== `==${from}` ||
    [...(entry.hashes ?? [])].sort().join() !== prefixed(was).join()
  )
    throw new LockFallback(`The files of ${name} are not listed as the index lists them.`);
  return { ...entry, hashes: prefixed(now), version: `==${to}` };
}

/** The lock file has no dependency graph, so the requirements of all packages are fetched. @throws LockFallback; UpdatesError `does_not_resolve` */
async function assertOthersAllow(
  move: PythonMove,
  versions: ReadonlyMap<string, string>,
  index: string,
  lookup: Lookup,
): Promise<void> {
  await Promise.all(
    [...versions].map(async ([name, version]) => {
      if (name === move.name) return;
      const metadata = await metadataOf(index, name, version, lookup);
      if (!metadata)
        throw new LockFallback(`The index does not say what ${name} ${version} needs.`);
      assertAllowed(move, `${name} ${version}`, needsOf(metadata));
    }),
  );
}
