/**
 * Which versions of everything an application uses go together: what it names stays where it is, what others bring along stays
 * where it can, and else goes to the newest version that fits.
 */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { elmPublished, elmReleases } from "./registry.js";
import { elmSatisfies } from "./versioning.js";

export type Versions = ReadonlyMap<string, string>;

export interface Puzzle {
  readonly registry: string;
  /** The version of Elm the application is made with. */
  readonly elm: string;
  /** What the application names. */
  readonly fixed: Versions;
  /** What was brought along until now. */
  readonly known: Versions;
  readonly lookup: Lookup;
}

/** Tries after which it is given up: elm.json of real applications need a few. */
const MOST = 2000;

interface Wish {
  readonly who: string;
  readonly range: string;
}

/** Everything that is used, by name. @throws UpdatesError `does_not_resolve`, or as the look-up */
export async function solve({ registry, elm, fixed, known, lookup }: Puzzle): Promise<Versions> {
  let tries = 0;
  let trouble = "";

  /** `chosen` with what `queue` needs, or undefined where that cannot be. */
  async function extend(
    chosen: ReadonlyMap<string, string>,
    wishes: ReadonlyMap<string, readonly Wish[]>,
    queue: readonly string[],
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const [name, ...rest] = queue;
    if (name === undefined) return chosen;
    for (const version of await candidates(name, wishes.get(name) ?? [])) {
      tries += 1;
      if (tries > MOST) return undefined;
      const about = await elmPublished(registry, name, version, lookup);
      if (elm !== "" && about.elm !== "" && !elmSatisfies(elm, about.elm)) {
        trouble ||= `${name} ${version} is for Elm ${about.elm}`;
        continue;
      }
      const more = new Map(wishes);
      const next = [...rest];
      let fits = true;
      for (const [need, range] of Object.entries(about.dependencies)) {
        const has = chosen.get(need) ?? fixed.get(need) ?? (need === name ? version : undefined);
        if (has !== undefined && !elmSatisfies(has, range)) {
          trouble ||= `${name} ${version} needs ${need} ${range}, and ${has} is used`;
          fits = false;
          break;
        }
        more.set(need, [...(more.get(need) ?? []), { who: `${name} ${version}`, range }]);
        if (has === undefined && !next.includes(need)) next.push(need);
      }
      if (!fits) continue;
      const result = await extend(new Map([...chosen, [name, version]]), more, next);
      if (result) return result;
    }
    return undefined;
  }

  async function candidates(name: string, wishes: readonly Wish[]): Promise<readonly string[]> {
    const own = fixed.get(name);
    if (own !== undefined) return [own];
    const releases = await elmReleases(registry, name, lookup);
    const allowed = releases
      .map(({ version }) => version)
      .filter((version) => wishes.every(({ range }) => elmSatisfies(version, range)));
    if (allowed.length === 0)
      trouble ||= `no ${name} is all of ${wishes.map(({ who, range }) => `${range} (for ${who})`).join(", ")}`;
    const before = known.get(name);
    return before !== undefined && allowed.includes(before)
      ? [before, ...allowed.filter((version) => version !== before)]
      : allowed;
  }

  const result = await extend(new Map(), new Map(), [...fixed.keys()]);
  if (result) return result;
  throw new UpdatesError(
    "does_not_resolve",
    `These versions do not go together: ${trouble || "there are too many possibilities"}.`,
  );
}

/** All names that `roots` bring along, themselves included. */
export async function closure(
  roots: Iterable<string>,
  versions: Versions,
  { registry, lookup }: Pick<Puzzle, "registry" | "lookup">,
): Promise<ReadonlySet<string>> {
  const found = new Set(roots);
  for (const name of found) {
    const version = versions.get(name);
    if (version === undefined) continue;
    const { dependencies } = await elmPublished(registry, name, version, lookup);
    for (const need of Object.keys(dependencies)) found.add(need);
  }
  return found;
}
