/** Checks that a new version needs the same packages as the old one, and that all of them fit. */

import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { LockFallback } from "../lock/refresh.js";
import { normalizedName, readWritten } from "./manifest/written-requirement.js";
import { type Metadata, metadataOf } from "./registry.js";
import { pipVersioning } from "./versions/versions.js";

export interface PythonMove {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Its index. */
  readonly index: string;
}

export interface PythonNeed {
  readonly name: string;
  readonly requirement: string;
  /** Extras and the marker without spaces, which must not change. */
  readonly condition: string;
}

export function needsOf({ requires }: Metadata): readonly PythonNeed[] {
  return requires.map((text) => {
    const written = readWritten(text, 0, { section: "", development: false });
    if (!written) throw new LockFallback(`${text} is not understood.`);
    const { name, requirement, range } = written;
    const rest = text.slice(name.length, range.start) + text.slice(range.end);
    return { name: normalizedName(name), requirement, condition: rest.replace(/[\s()]/g, "") };
  });
}

/** The metadata of both versions. @throws LockFallback */
export async function bothOf(
  { name, from, to, index }: PythonMove,
  lookup: Lookup,
): Promise<{ readonly old: Metadata; readonly next: Metadata }> {
  const old = await metadataOf(index, name, from, lookup);
  const next = await metadataOf(index, name, to, lookup);
  if (!old || !next) throw new LockFallback(`The index does not say what ${name} ${to} needs.`);
  return { old, next };
}

/**
 * The new version must need the same packages with the same markers, and allow their locked versions.
 * @throws LockFallback
 */
export function assertSameNeeds(
  { name, to }: PythonMove,
  old: Metadata,
  next: Metadata,
  locked: ReadonlyMap<string, string>,
): void {
  const key = ({ name: each, condition }: PythonNeed): string => `${each} ${condition}`;
  const needs = needsOf(next);
  const [before, after] = [needsOf(old), needs].map((all) => all.map(key).sort().join("\n"));
  if (before !== after) throw new LockFallback(`${name} ${to} needs other packages than before.`);
  for (const need of needs) {
    const version = locked.get(need.name);
    if (version === undefined || pipVersioning.satisfies(version, need.requirement)) continue;
    throw new LockFallback(`${name} ${to} needs ${need.name} ${need.requirement}.`);
  }
  if ((old.python ?? "") !== (next.python ?? ""))
    throw new LockFallback(`${name} ${to} is for other versions of Python.`);
}

/** The new version must satisfy the other locked packages. @throws UpdatesError `does_not_resolve` */
export function assertAllowed(
  { name, to }: PythonMove,
  user: string,
  needs: readonly Pick<PythonNeed, "name" | "requirement">[],
): void {
  const against = needs.find(
    (need) => need.name === name && !pipVersioning.satisfies(to, need.requirement),
  );
  if (against)
    throw new UpdatesError(
      "does_not_resolve",
      `${user} requires ${against.requirement} of ${name}, which ${to} is not.`,
    );
}
