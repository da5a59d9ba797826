/** Hashes in requirement files: `--hash=sha256:…` of every file of the version. */

import type { Lookup } from "../../../registries/contract.js";
import { replaced } from "../../../text/text.js";
import { LockFallback } from "../../lock/refresh.js";
import { readRequirementsFile } from "../manifest/requirements-file.js";
import { normalizedName } from "../manifest/written-requirement.js";
import { releaseFiles } from "../registry.js";
import { type PythonMove } from "../resolve.js";
import { pipVersioning } from "../versions/versions.js";

/** The text with the hashes of what moved; undefined where it has none of that. @throws LockFallback; UpdatesError as `Lookup` */
export async function rehashed(
  file: string,
  text: string,
  moves: readonly PythonMove[],
  lookup: Lookup,
): Promise<string | undefined> {
  const edits = [];
  const byName = new Map(moves.map((move) => [move.name, move]));
  for (const { name, hashes, requirement } of readRequirementsFile(file, text).lines) {
    const move = hashes && byName.get(normalizedName(name));
    // Lines with other markers keep their hashes.
    if (!move || !pipVersioning.satisfies(move.to, requirement)) continue;
    const sums = await releaseSums(move, lookup);
    if (sums.length === 0)
      throw new LockFallback(`The index does not tell the sums of ${name} ${move.to}.`);
    const old = text.slice(hashes.start, hashes.end);
    // The old separator between hashes; for a single hash, pip-compile's.
    const between =
      /--hash[= ]\S+?(\s+\\\r?\n\s*|\s+)(?=--hash)/.exec(old)?.[1] ?? lead(text, hashes.start);
    const sign = /^--hash[= ]/.exec(old)?.[0] ?? "--hash=";
    edits.push({ range: hashes, text: sums.map((sum) => `${sign}sha256:${sum}`).join(between) });
  }
  return edits.length === 0 ? undefined : replaced(text, edits);
}

/** The separator before the first hash. */
const lead = (text: string, start: number): string =>
  /\s+\\\r?\n\s*$/.exec(text.slice(0, start))?.[0] ?? " ";

/** SHA-256 of all files of the version, sorted. */
export async function releaseSums(
  { index, name, to }: PythonMove,
  lookup: Lookup,
): Promise<readonly string[]> {
  const files = await releaseFiles(index, name, to, lookup);
  return [...new Set(files.flatMap(({ sha256 }) => sha256 ?? []))].sort();
}
