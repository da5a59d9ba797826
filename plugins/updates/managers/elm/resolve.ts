/**
 * Finds versions of all packages of a project that fit together: the first solution in Elm's order, which takes packages by name
 * and the newest version of each first.
 */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { elmManifest, elmReleases } from "./registry.js";
import { compareElmNames, elmMeets, elmRuns, elmSatisfies, elmVersioning } from "./versions.js";

/** A version or a range of versions, by name. */
export type Versions = ReadonlyMap<string, string>;

export interface ResolveInput {
  readonly registry: string;
  /** The Elm version of the project, or a range of versions. */
  readonly elm: string;
  readonly lookup: Lookup;
}

export type Solution =
  | { readonly versions: Versions }
  /** A clause that follows "These versions conflict: ". */
  | { readonly conflict: string };

/** The search stops after this number of versions; real projects need a few. */
const MAX_TRIES = 4000;

interface Constraint {
  readonly source: string;
  readonly range: string;
}

/** Versions for `goals` and all packages they need. @throws as the lookup */
export async function solve(goals: Versions, input: ResolveInput): Promise<Solution> {
  const { registry, lookup } = input;
  // Fetched together here; the search would fetch them one by one.
  await Promise.all([...goals].map((goal) => elmManifest(registry, ...goal, lookup)));
  const search = new Search(goals, input);
  return (await search.extend())
    ? { versions: search.chosen }
    : { conflict: search.conflict || "there are too many combinations" };
}

/** @throws UpdatesError `does_not_resolve` */
export function solved(solution: Solution): Versions {
  if ("versions" in solution) return solution.versions;
  throw new UpdatesError("does_not_resolve", `These versions conflict: ${solution.conflict}.`);
}

/** Depth-first search with backtracking. */
class Search {
  readonly chosen = new Map<string, string>();
  /** The first conflict found. */
  conflict = "";
  readonly #goals: Versions;
  readonly #input: ResolveInput;
  readonly #constraints = new Map<string, Constraint[]>();
  /** Packages without a version yet; the next one is the last. */
  readonly #pending: string[];
  #tries = 0;

  constructor(goals: Versions, input: ResolveInput) {
    this.#goals = goals;
    this.#input = input;
    for (const [name, range] of goals) this.#constraints.set(name, [{ source: "elm.json", range }]);
    this.#pending = [...goals.keys()].toSorted((a, b) => compareElmNames(b, a));
  }

  async extend(): Promise<boolean> {
    const name = this.#pending.pop();
    if (name === undefined) return true;
    for (const version of await this.#candidates(name)) {
      this.#tries += 1;
      if (this.#tries > MAX_TRIES) break;
      const undo = await this.#choose(name, version);
      if (undo && (await this.extend())) return true;
      undo?.();
    }
    this.#pending.push(name);
    return false;
  }

  async #candidates(name: string): Promise<readonly string[]> {
    const constraints = this.#constraints.get(name) ?? [];
    const exact = constraints.find(({ range }) => elmVersioning.isVersion(range))?.range;
    const all = exact === undefined ? await this.#published(name) : [exact];
    const allowed = all.filter((version) =>
      constraints.every(({ range }) => elmSatisfies(version, range)),
    );
    if (allowed.length === 0)
      this.conflict ||= `no version of ${name} satisfies ${constraints.map(({ source, range }) => `${range} (for ${source})`).join(", ")}`;
    return allowed;
  }

  async #published(name: string): Promise<readonly string[]> {
    try {
      const { registry, lookup } = this.#input;
      return (await elmReleases(registry, name, lookup)).map(({ version }) => version);
    } catch (error) {
      if (error instanceof UpdatesError && error.code === "package_unknown") return [];
      throw error;
    }
  }

  /** Returns how to undo the choice; undefined for a version that conflicts. */
  async #choose(name: string, version: string): Promise<(() => void) | undefined> {
    const { registry, elm, lookup } = this.#input;
    const manifest = await elmManifest(registry, name, version, lookup);
    if (!manifest || !elmRuns(elm, manifest.elm)) {
      this.conflict ||= manifest
        ? `${name} ${version} is for Elm ${manifest.elm}`
        : `${name} ${version} is not on ${registry}`;
      return undefined;
    }
    const needs = Object.entries(manifest.dependencies);
    const used = (need: string): string | undefined =>
      need === name ? version : (this.chosen.get(need) ?? this.#goals.get(need));
    const conflicting = needs.find(([need, range]) => {
      const has = used(need);
      return has !== undefined && !elmMeets(has, range);
    });
    if (conflicting) {
      const [need, range] = conflicting;
      this.conflict ||= `${name} ${version} needs ${need} ${range}, and ${used(need)} is used`;
      return undefined;
    }
    this.chosen.set(name, version);
    const undo = needs
      .filter(([need]) => !this.chosen.has(need))
      .map(([need, range]) => this.#constrain(need, { source: `${name} ${version}`, range }));
    return () => {
      for (const each of undo.toReversed()) each();
      this.chosen.delete(name);
    };
  }

  #constrain(name: string, constraint: Constraint): () => void {
    const constraints = this.#constraints.get(name) ?? [];
    this.#constraints.set(name, constraints);
    constraints.push(constraint);
    if (constraints.length > 1) return () => void constraints.pop();
    const before = this.#pending.findIndex((other) => compareElmNames(other, name) < 0);
    this.#pending.splice(before === -1 ? this.#pending.length : before, 0, name);
    return () => {
      constraints.pop();
      this.#pending.splice(this.#pending.indexOf(name), 1);
    };
  }
}

/** `roots` and the names of all packages that they need. */
export async function closure(
  roots: Iterable<string>,
  versions: Versions,
  { registry, lookup }: Pick<ResolveInput, "registry" | "lookup">,
): Promise<ReadonlySet<string>> {
  const names = new Set(roots);
  for (const name of names) {
    const version = versions.get(name);
    if (version === undefined) continue;
    const manifest = await elmManifest(registry, name, version, lookup);
    for (const need of Object.keys(manifest?.dependencies ?? {})) names.add(need);
  }
  return names;
}
