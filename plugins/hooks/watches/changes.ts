/** What is different between two sets of files, and what several differences are together. Pure. */
import type { FileSet } from "reeve/plugin";
import type { FileChange } from "../blocks/watch.js";

/** What is known of a file, by its absolute path. */
export type KnownFiles = ReadonlyMap<string, { readonly hash: string; readonly size: number }>;

/** Files that exist. Directories and what cannot be read do not count. */
export function knownOf({ files }: FileSet, counts: (path: string) => boolean): KnownFiles {
  const known = new Map<string, { readonly hash: string; readonly size: number }>();
  for (const { path, hash, size = 0, error } of files) {
    if (error === undefined && counts(path)) known.set(path, { hash, size });
  }
  return known;
}

export function changesBetween(before: KnownFiles, now: KnownFiles): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, { hash, size }] of now) {
    const old = before.get(path);
    if (old === undefined) changes.push({ path, kind: "created", size });
    else if (old.hash !== hash) changes.push({ path, kind: "changed", size });
  }
  for (const [path, { size }] of before) {
    if (!now.has(path)) changes.push({ path, kind: "removed", size });
  }
  return changes;
}

/** Later changes joined to earlier ones that no run has had: a file that came and went is none. */
export function joined(
  earlier: ReadonlyMap<string, FileChange>,
  later: readonly FileChange[],
): ReadonlyMap<string, FileChange> {
  const all = new Map(earlier);
  for (const change of later) {
    const before = all.get(change.path)?.kind;
    if (before === "created" && change.kind === "removed") all.delete(change.path);
    else if (before === "created") all.set(change.path, { ...change, kind: "created" });
    else if (before === "removed" && change.kind === "created") {
      all.set(change.path, { ...change, kind: "changed" });
    } else all.set(change.path, change);
  }
  return all;
}

/** Changes that a run gets as data. */
const MOST = 1000;

/** In the order of the paths. */
export function shownChanges(changes: ReadonlyMap<string, FileChange>): {
  readonly changes: readonly FileChange[];
  readonly more_changes: number;
} {
  const ordered = [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { changes: ordered.slice(0, MOST), more_changes: Math.max(0, ordered.length - MOST) };
}
