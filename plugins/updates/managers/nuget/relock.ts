/** Moves one package in a lock file, where nothing but its own entries changes; else says why that would be a guess. */

import type { Lookup } from "../../registries/contract.js";
import type { Change } from "../contract.js";
import { contentOf, fromFeeds, type Known, registered } from "./feed.js";
import { type Lock, type LockEntry, readLock } from "./lock.js";
import { compareNuget, normalised } from "./order.js";
import { nugetVersioning } from "./versioning.js";

export interface Relocked {
  readonly text?: string;
  /** Why not, to be put behind "as". */
  readonly why?: string;
}

export async function relocked(
  text: string,
  changes: readonly Change[],
  lookup: Lookup,
): Promise<Relocked> {
  const lock = readLock(text);
  if (!lock) return { why: "it cannot be read" };
  for (const change of changes) {
    const why = await move(lock, change, lookup);
    if (why !== undefined) return { why };
  }
  const written = lock.write();
  return written === undefined
    ? { why: "it is not written the way NuGet writes it" }
    : { text: written };
}

async function move(lock: Lock, change: Change, lookup: Lookup): Promise<string | undefined> {
  const { dependency, to, requirements } = change;
  const { name } = dependency;
  const same = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  const own = lock.entries.filter((each) => same(each.name));
  if (own.length === 0) return undefined;
  const version = normalised(to.version);
  const asking = lock.entries.flatMap(({ name: who, entry }) =>
    Object.entries(entry.dependencies ?? {})
      .filter(([need]) => same(need))
      .map(([, range]) => ({ who, range, project: entry.type === "Project" })),
  );
  if (asking.some(({ project }) => project)) return `another project of the solution needs ${name}`;
  const against = asking.find(({ range }) => !leaves(range, version));
  if (against) return `${against.who} needs ${name} ${against.range}`;
  const requested = [...new Set(requirements.map(bounds))];
  const { needs, content } = await fromFeeds(dependency, async (feed) => ({
    needs: await registered(feed, name, undefined, lookup),
    content: await contentOf(feed, name, version, lookup),
  }));
  if (content === undefined) return `the feed does not serve ${name} itself`;
  for (const { framework, entry } of own) {
    if (entry.type !== "Direct" && entry.type !== "Transitive")
      return `${name} is ${entry.type ?? "without a kind"} in it`;
    const next = needed(entry, needs, version);
    if (!next) return `which packages ${name} ${version} needs for ${framework} cannot be told`;
    const why = unmet(lock, framework, next);
    if (why !== undefined) return `${name} ${version} needs ${why}`;
    const [wanted] = requested;
    if (entry.type === "Direct") {
      if (requested.length !== 1 || wanted === undefined)
        return `${name} is required in more than one way`;
      entry.requested = wanted;
    }
    entry.resolved = version;
    entry.contentHash = content;
    if (Object.keys(next).length > 0) entry.dependencies = next;
  }
  return undefined;
}

/** A lock file has a bare version where only the lower bound is said. */
const leaves = (range: string, version: string): boolean =>
  nugetVersioning.isVersion(range)
    ? compareNuget(version, range) >= 0
    : nugetVersioning.satisfies(version, range);

/** `1.0` → `[1.0.0, )`; undefined for what is written differently from case to case. */
function bounds(requirement: string): string | undefined {
  if (nugetVersioning.isVersion(requirement)) return `[${normalised(requirement)}, )`;
  const [, exact] = /^\[([^,[\]()]+)\]$/.exec(requirement) ?? [];
  return exact === undefined ? undefined : `[${normalised(exact)}, ${normalised(exact)}]`;
}

/** What the new version needs for the framework whose needs were those of the entry; undefined where it changes shape. */
function needed(
  entry: LockEntry,
  known: readonly Known[],
  version: string,
): Record<string, string> | undefined {
  const at = (wanted: string | undefined): Known | undefined =>
    known.find((each) => normalised(each.version) === wanted);
  const [before, after] = [at(entry.resolved), at(version)];
  if (!before || !after) return undefined;
  const text = (needs: Readonly<Record<string, string>>): string =>
    JSON.stringify(
      Object.entries(needs)
        .map(([name, range]) => [name.toLowerCase(), lowerBound(range)])
        .sort(),
    );
  const frameworks = Object.keys(before.needs);
  if (frameworks.length !== Object.keys(after.needs).length) return undefined;
  if (frameworks.length === 0) return entry.dependencies === undefined ? {} : undefined;
  const mine = text(entry.dependencies ?? {});
  const fitting = frameworks.filter((framework) => text(before.needs[framework] ?? {}) === mine);
  const results = fitting.map((framework) => after.needs[framework]);
  const [first] = results;
  if (!first || results.some((one) => !one || text(one) !== text(first))) return undefined;
  const names = Object.keys(before.needs[fitting[0] ?? ""] ?? {});
  if (names.length !== Object.keys(first).length) return undefined;
  if (names.some((name) => !(name in first))) return undefined;
  return Object.fromEntries(
    Object.entries(first)
      .map(([name, range]): [string, string] => [name, lowerBound(range)])
      .sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  );
}

/** `[1.0.0, )` is written `1.0.0` in a lock file. */
const lowerBound = (range: string): string => {
  const [, version] = /^\[([^,]+), ?\)$/.exec(range) ?? [];
  return version === undefined ? range : normalised(version);
};

function unmet(
  lock: Lock,
  framework: string,
  needs: Readonly<Record<string, string>>,
): string | undefined {
  for (const [need, range] of Object.entries(needs)) {
    const has = lock.entries.find(
      (each) => each.framework === framework && each.name.toLowerCase() === need.toLowerCase(),
    );
    if (!has?.entry.resolved || !leaves(range, has.entry.resolved)) return `${need} ${range}`;
  }
  return undefined;
}
