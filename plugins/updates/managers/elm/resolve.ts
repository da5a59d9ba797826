/**
 * Which versions of everything that a project uses go together: the first that Elm finds, which takes packages by their names
 * and the newest version of each first.
 */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { elmPublished, elmReleases } from "./registry.js";
import { compareElmNames, elmMeets, elmRuns, elmSatisfies, elmVersioning } from "./versioning.js";

/** A version, or a range of them, by name. */
export type Versions = ReadonlyMap<string, string>;

export interface ResolveInput {
  readonly registry: string;
  /** The version of Elm that the project is made with, or a range of them. */
  readonly elm: string;
  readonly lookup: Lookup;
}

export type Solution =
  | { readonly versions: Versions }
  /** In words that stand behind "These versions do not go together: ". */
  | { readonly trouble: string };

/** Versions that are looked at before it is given up: elm.json of real projects need a few. */
const MOST = 4000;

interface Wish {
  readonly who: string;
  readonly range: string;
}

/** `goals` and everything that they need. @throws as the look-up */
export async function solve(goals: Versions, puzzle: ResolveInput): Promise<Solution> {
  const { registry, lookup } = puzzle;
  // One after the other they would each wait for the site.
  await Promise.all([...goals].map((goal) => elmPublished(registry, ...goal, lookup)));
  const search = new Search(goals, puzzle);
  return (await search.extend())
    ? { versions: search.chosen }
    : { trouble: search.trouble || "there are too many possibilities" };
}

/** @throws UpdatesError `does_not_resolve` */
export function solved(solution: Solution): Versions {
  if ("versions" in solution) return solution.versions;
  throw new UpdatesError(
    "does_not_resolve",
    `These versions do not go together: ${solution.trouble}.`,
  );
}

/** What is tried is put in place, and taken back where it leads nowhere. */
class Search {
  readonly chosen = new Map<string, string>();
  /** The first trouble that was met. */
  trouble = "";
  readonly #goals: Versions;
  readonly #puzzle: ResolveInput;
  readonly #wishes = new Map<string, Wish[]>();
  /** What is not chosen yet, the next one last. */
  readonly #pending: string[];
  #tries = 0;

  constructor(goals: Versions, puzzle: ResolveInput) {
    this.#goals = goals;
    this.#puzzle = puzzle;
    for (const [name, range] of goals) this.#wishes.set(name, [{ who: "elm.json", range }]);
    this.#pending = [...goals.keys()].toSorted((a, b) => compareElmNames(b, a));
  }

  async extend(): Promise<boolean> {
    const name = this.#pending.pop();
    if (name === undefined) return true;
    for (const version of await this.#candidates(name)) {
      this.#tries += 1;
      if (this.#tries > MOST) break;
      const undo = await this.#choose(name, version);
      if (undo && (await this.extend())) return true;
      undo?.();
    }
    this.#pending.push(name);
    return false;
  }

  async #candidates(name: string): Promise<readonly string[]> {
    const wishes = this.#wishes.get(name) ?? [];
    const exact = wishes.find(({ range }) => elmVersioning.isVersion(range))?.range;
    const all = exact === undefined ? await this.#published(name) : [exact];
    const allowed = all.filter((version) =>
      wishes.every(({ range }) => elmSatisfies(version, range)),
    );
    if (allowed.length === 0)
      this.trouble ||= `no ${name} is all of ${wishes.map(({ who, range }) => `${range} (for ${who})`).join(", ")}`;
    return allowed;
  }

  async #published(name: string): Promise<readonly string[]> {
    try {
      const { registry, lookup } = this.#puzzle;
      return (await elmReleases(registry, name, lookup)).map(({ version }) => version);
    } catch (thrown) {
      if (thrown instanceof UpdatesError && thrown.code === "package_unknown") return [];
      throw thrown;
    }
  }

  /** How to take it back; undefined where it does not fit. */
  async #choose(name: string, version: string): Promise<(() => void) | undefined> {
    const { registry, elm, lookup } = this.#puzzle;
    const about = await elmPublished(registry, name, version, lookup);
    if (!about || !elmRuns(elm, about.elm)) {
      this.trouble ||= about
        ? `${name} ${version} is for Elm ${about.elm}`
        : `${name} ${version} is not on ${registry}`;
      return undefined;
    }
    const needs = Object.entries(about.dependencies);
    const used = (need: string): string | undefined =>
      need === name ? version : (this.chosen.get(need) ?? this.#goals.get(need));
    const bad = needs.find(([need, range]) => {
      const has = used(need);
      return has !== undefined && !elmMeets(has, range);
    });
    if (bad) {
      const [need, range] = bad;
      this.trouble ||= `${name} ${version} needs ${need} ${range}, and ${used(need)} is used`;
      return undefined;
    }
    this.chosen.set(name, version);
    const undo = needs
      .filter(([need]) => !this.chosen.has(need))
      .map(([need, range]) => this.#wish(need, { who: `${name} ${version}`, range }));
    return () => {
      for (const each of undo.toReversed()) each();
      this.chosen.delete(name);
    };
  }

  #wish(name: string, wish: Wish): () => void {
    const wishes = this.#wishes.get(name) ?? [];
    this.#wishes.set(name, wishes);
    wishes.push(wish);
    if (wishes.length > 1) return () => void wishes.pop();
    const before = this.#pending.findIndex((other) => compareElmNames(other, name) < 0);
    this.#pending.splice(before === -1 ? this.#pending.length : before, 0, name);
    return () => {
      wishes.pop();
      this.#pending.splice(this.#pending.indexOf(name), 1);
    };
  }
}

/** All names that `roots` bring along, themselves included. */
export async function closure(
  roots: Iterable<string>,
  versions: Versions,
  { registry, lookup }: Pick<ResolveInput, "registry" | "lookup">,
): Promise<ReadonlySet<string>> {
  const found = new Set(roots);
  for (const name of found) {
    const version = versions.get(name);
    if (version === undefined) continue;
    const about = await elmPublished(registry, name, version, lookup);
    for (const need of Object.keys(about?.dependencies ?? {})) found.add(need);
  }
  return found;
}
