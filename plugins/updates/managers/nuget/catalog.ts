/** Packages as NuGet finds them for one framework: the lowest version that is allowed, with what it needs there. */

import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { LockFallback } from "../lock/refresh.js";
import { type Framework, nearest } from "./frameworks.js";
import { type Find, type Item, type Want } from "./graph.js";
import { compareNuget, normalised } from "./order.js";
import { type Need, type Specification, specificationOf, versionsOf } from "./packages.js";
import { allows, type NugetRange, readRange } from "./range.js";

export interface CatalogFeed {
  readonly lookup: Lookup;
  /** Addresses of the feeds that a package may come from, by its name. */
  feeds(name: string): readonly string[];
}

export interface CatalogItem extends Item {
  readonly needs: readonly Need[];
}

/** Whatever there is. */
const ANY: NugetRange = {
  ...{ bare: false, lower: undefined, lowerIn: false, upper: undefined, upperIn: false },
};

/** @throws LockFallback for what is not understood */
function wantOf({ name, range }: Need): Want {
  const read = range === "" ? ANY : readRange(range);
  if (!read) throw new LockFallback(`what is meant by ${name} ${range} is not understood`);
  return { name, range: read };
}

/**
 * `pins` are versions to take where they are allowed, `projects` what is built here, both by names in small letters.
 */
export function catalog(
  framework: Framework,
  shop: CatalogFeed,
  pins: ReadonlyMap<string, string>,
  projects: ReadonlyMap<string, readonly Need[]>,
): { readonly find: Find; readonly items: ReadonlyMap<string, CatalogItem> } {
  const items = new Map<string, CatalogItem>();
  const find: Find = async ({ name, range }) => {
    const key = name.toLowerCase();
    const project = projects.get(key);
    if (project) {
      if (range) throw new LockFallback(`${name} is a project and a package`);
      return { name, version: "", wants: project.map((need) => ofProject(need, projects)) };
    }
    const { version, specification } = await chosen(name, range ?? ANY, pins.get(key), shop);
    const needs = needsFor(framework, specification, version);
    const item = { name: specification.name, version, needs, wants: needs.map(wantOf) };
    items.set(`${key} ${version}`, item);
    return item;
  };
  return { find, items };
}

const ofProject = (need: Need, projects: ReadonlyMap<string, unknown>): Want =>
  projects.has(need.name.toLowerCase()) ? { name: need.name, range: undefined } : wantOf(need);

interface Chosen {
  readonly version: string;
  readonly specification: Specification;
}

async function chosen(
  name: string,
  range: NugetRange,
  pin: string | undefined,
  shop: CatalogFeed,
): Promise<Chosen> {
  const wanted = pin !== undefined && allows(range, pin) ? pin : lowestOf(range);
  const known = wanted === undefined ? undefined : await specified(name, wanted, shop);
  if (known) return known;
  const lists = await Promise.all(
    shop.feeds(name).map((feed) => unlessUnknown(versionsOf(feed, name, shop.lookup))),
  );
  const allowed = lists
    .flatMap((versions) => versions ?? [])
    .filter((version) => allows(range, version))
    .toSorted(compareNuget);
  const version = range.floating ? allowed.at(-1) : allowed[0];
  const found = version === undefined ? undefined : await specified(name, version, shop);
  if (!found) throw new LockFallback(`no version of ${name} is what is asked for`);
  return found;
}

/** Where a version is named nothing lower can be had, and nobody has to be asked for a list. */
const lowestOf = (range: NugetRange): string | undefined =>
  range.lower !== undefined && !range.floating && allows(range, range.lower)
    ? range.lower
    : undefined;

/** From the first feed that has it. */
async function specified(
  name: string,
  text: string,
  shop: CatalogFeed,
): Promise<Chosen | undefined> {
  const version = normalised(text);
  for (const feed of shop.feeds(name)) {
    const specification = await unlessUnknown(specificationOf(feed, name, version, shop.lookup));
    if (specification) return { version, specification };
  }
  return undefined;
}

async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof UpdatesError && thrown.code === "package_unknown") return undefined;
    throw thrown;
  }
}

function needsFor(
  framework: Framework,
  { name, groups }: Specification,
  version: string,
): readonly Need[] {
  const found = nearest(
    framework,
    groups.map((group) => group.framework),
  );
  if (found.kind === "unclear")
    throw new LockFallback(`which packages ${name} ${version} needs cannot be told`);
  return found.kind === "index" ? (groups[found.index]?.needs ?? []) : [];
}
