/** Pipenv resolves everything again, so unchanged packages are pinned before and restored after. */

import { UpdatesError } from "../../../errors.js";
import type { Lookup } from "../../../registries/contract.js";
import { replaced } from "../../../text/text.js";
import { LockFallback } from "../../lock/refresh.js";
import { pipfileHash } from "../lockfile/content-hash.js";
import { type PipfileEntry, readPipfileLock, writtenPipfileLock } from "../lockfile/pipfile.js";
import { readPipfile } from "../manifest/pyproject.js";
import { normalizedName } from "../manifest/written-requirement.js";
import { metadataOf } from "../registry.js";
import { assertAllowed, assertSameNeeds, bothOf, needsOf, type PythonMove } from "../resolve.js";

/** The Pipfile with all that it names at the version that is locked, and what moves at its new one. */
export function frozen(pipfile: string, lock: string, moves: readonly PythonMove[]): string {
  const versions = new Map([
    ...versionsIn(lock),
    ...moves.map(({ name, to }) => [name, to] as const),
  ]);
  const edits = readPipfile("Pipfile", pipfile).written.flatMap(({ name, range, address }) => {
    const version = versions.get(normalizedName(name));
    if (address !== undefined || version === undefined) return [];
    return [{ range, text: `==${version}` }];
  });
  return replaced(pipfile, edits);
}

const versionsIn = (lock: string): ReadonlyMap<string, string> =>
  new Map(
    [...entriesIn(lock)].flatMap(([name, { version }]) =>
      version === undefined ? [] : [[name, version.replace(/^==/, "")]],
    ),
  );

const entriesIn = (lock: string): ReadonlyMap<string, PipfileEntry> =>
  new Map(
    readPipfileLock(lock)
      .sections.flatMap(([, entries]) => Object.entries(entries))
      .map(([name, entry]) => [normalizedName(name), entry]),
  );

/** Transitive packages keep their old version if that certainly satisfies. @throws as `Lookup` */
export async function steadied(
  lock: string,
  before: string,
  moves: readonly PythonMove[],
  lookup: Lookup,
): Promise<string> {
  const old = entriesIn(before);
  const index = moves[0]?.index ?? "";
  const now = new Map(versionsIn(lock));
  const kept = new Map<string, PipfileEntry>();
  for (const [name, entry] of entriesIn(lock)) {
    const was = old.get(name);
    const [from, to] = [entry.version, was?.version].map((text) => text?.replace(/^==/, ""));
    if (!was || from === undefined || to === undefined || from === to) continue;
    if (moves.some((move) => move.name === name) || unchanged(was) !== unchanged(entry)) continue;
    if (await doesAsWell({ name, from, to, index }, now, lookup)) {
      kept.set(name, was);
      now.set(name, to);
    }
  }
  const { content, sections } = readPipfileLock(lock);
  return writtenPipfileLock(
    content,
    sections.map(([section, entries]) => [
      section,
      Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [
          name,
          kept.get(normalizedName(name)) ?? entry,
        ]),
      ),
    ]),
  );
}

const unchanged = ({ version: _, hashes: __, ...others }: PipfileEntry): string =>
  JSON.stringify(others);

async function doesAsWell(
  back: PythonMove,
  locked: ReadonlyMap<string, string>,
  lookup: Lookup,
): Promise<boolean> {
  try {
    const { old, next } = await bothOf(back, lookup);
    assertSameNeeds(back, old, next, locked);
    for (const [name, version] of locked) {
      if (name === back.name) continue;
      const metadata = await metadataOf(back.index, name, version, lookup);
      if (!metadata) return false;
      assertAllowed(back, `${name} ${version}`, needsOf(metadata));
    }
    return true;
  } catch (error) {
    if (error instanceof LockFallback || error instanceof UpdatesError) return false;
    throw error;
  }
}

/** Replaces the hash for an equivalent Pipfile. @throws UpdatesError `lock_failed` */
export function withHashOf(lock: string, madeFor: string, pipfile: string): string {
  const hash = pipfileHash(madeFor);
  if (!lock.includes(`"sha256": "${hash}"`))
    throw new UpdatesError(
      "lock_failed",
      "This version of Pipenv makes its hashes in another way.",
    );
  return lock.replace(`"sha256": "${hash}"`, `"sha256": "${pipfileHash(pipfile)}"`);
}
