/** `devcontainer-lock.json`: the version and digest of each feature. */
import { jsonEscaped, readJson } from "../../text/json.js";
import { replaced } from "../../text/text.js";
import type { RepositoryPath } from "../contract.js";
import { LockFallback } from "../lock/refresh.js";

/** By the feature as devcontainer.json names it. @throws UpdatesError `manifest_unreadable` */
export function lockedFeatures(file: RepositoryPath, text: string): ReadonlyMap<string, string> {
  const lock = readJson(file, text);
  return new Map(
    lock.keys("features").flatMap((key) => {
      const version = lock.value("features", key, "version");
      return typeof version === "string" ? [[key, version] as const] : [];
    }),
  );
}

export interface FeatureMove {
  /** Keys of the entry. */
  readonly from: string;
  readonly to: string;
  readonly resource: string;
  readonly version: string;
  readonly digest: string;
}

/** @throws LockFallback, UpdatesError `manifest_unreadable` */
export function moveFeatures(
  file: RepositoryPath,
  text: string,
  moves: readonly FeatureMove[],
): string {
  const lock = readJson(file, text);
  const keys = lock.keyTexts("features");
  const edits = moves.flatMap(({ from, to, resource, version, digest }) => {
    const key = keys.find(({ value }) => value === from);
    if (!key) throw new LockFallback(`it has no entry for ${from}`);
    if (from !== to && keys.some(({ value }) => value === to))
      throw new LockFallback(`it has an entry for ${to} already`);
    if (lock.value("features", from, "dependsOn") !== undefined)
      throw new LockFallback(`${from} depends on other features`);
    const values: Readonly<Record<string, string>> = {
      ...{ version, integrity: digest, resolved: `${resource}@${digest}` },
    };
    const fields = lock
      .texts("features", from)
      .filter(({ key: field }) => values[field] !== undefined);
    if (fields.length !== 3) throw new LockFallback(`its entry for ${from} is not complete`);
    return [
      { range: key.range, text: jsonEscaped(to) },
      ...fields.map(({ key: field, range }) => ({ range, text: jsonEscaped(values[field] ?? "") })),
    ];
  });
  return replaced(text, edits);
}
