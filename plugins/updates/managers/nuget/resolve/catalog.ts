/** Finds packages as NuGet does for one framework: the lowest allowed version with its dependencies. */

import { UpdatesError } from "../../../errors.js";
import type { Lookup } from "../../../registries/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import {
  type NugetNeed,
  packageVersions,
  type Specification,
  specificationOf,
} from "../registry/packages.js";
import {
  compareNuget,
  isInRange,
  type NugetRange,
  normalizedNuget,
  readRange,
} from "../versions.js";
import { type Framework, nearest } from "./frameworks.js";
import { type Find, type GraphItem, type Want } from "./graph.js";

export interface CatalogFeed {
  readonly lookup: Lookup;
  /** The feed URLs of a package name. */
  feeds(name: string): readonly string[];
}

export interface NugetItem extends GraphItem {
  readonly needs: readonly NugetNeed[];
}

/** All versions. */
const ANY: NugetRange = {
  ...{ bare: false, lower: undefined, lowerIn: false, upper: undefined, upperIn: false },
};

/** @throws LockFallback for what is not understood */
function wantOf({ name, range }: NugetNeed): Want {
  const read = range === "" ? ANY : readRange(range);
  if (!read) throw new LockFallback(`the range ${range} of ${name} is not understood`);
  return { name, range: read };
}

/**
 * `pins` are versions to take where they are allowed, `projects` what is built here, both by names in small letters.
 */
export function catalog(
  framework: Framework,
  feeds: CatalogFeed,
  pins: ReadonlyMap<string, string>,
  projects: ReadonlyMap<string, readonly NugetNeed[]>,
): { readonly find: Find; readonly items: ReadonlyMap<string, NugetItem> } {
  const items = new Map<string, NugetItem>();
  const find: Find = async ({ name, range }) => {
    const key = name.toLowerCase();
    const project = projects.get(key);
    if (project) {
      if (range) throw new LockFallback(`${name} is a project and a package`);
      return { name, version: "", wants: project.map((need) => ofProject(need, projects)) };
    }
    const { version, specification } = await chosen(name, range ?? ANY, pins.get(key), feeds);
    const needs = needsFor(framework, specification, version);
    const item = { name: specification.name, version, needs, wants: needs.map(wantOf) };
    items.set(`${key} ${version}`, item);
    return item;
  };
  return { find, items };
}

const ofProject = (need: NugetNeed, projects: ReadonlyMap<string, unknown>): Want =>
  projects.has(need.name.toLowerCase()) ? { name: need.name, range: undefined } : wantOf(need);

interface Chosen {
  readonly version: string;
  readonly specification: Specification;
}

async function chosen(
  name: string,
  range: NugetRange,
  pin: string | undefined,
  feeds: CatalogFeed,
): Promise<Chosen> {
  const wanted = pin !== undefined && isInRange(range, pin) ? pin : lowestOf(range);
  const known = wanted === undefined ? undefined : await specified(name, wanted, feeds);
  if (known) return known;
  const lists = await Promise.all(
    feeds.feeds(name).map((feed) => unlessUnknown(packageVersions(feed, name, feeds.lookup))),
  );
  const allowed = lists
    .flatMap((versions) => versions ?? [])
    .filter((version) => isInRange(range, version))
    .toSorted(compareNuget);
  const version = range.floating ? allowed.at(-1) : allowed[0];
  const found = version === undefined ? undefined : await specified(name, version, feeds);
  if (!found) throw new LockFallback(`no version of ${name} is what is asked for`);
  return found;
}

/** An exact version needs no list. */
const lowestOf = (range: NugetRange): string | undefined =>
  range.lower !== undefined && !range.floating && isInRange(range, range.lower)
    ? range.lower
    : undefined;

/** The result of the first feed that has the package. */
async function specified(
  name: string,
  text: string,
  feeds: CatalogFeed,
): Promise<Chosen | undefined> {
  const version = normalizedNuget(text);
  for (const feed of feeds.feeds(name)) {
    const specification = await unlessUnknown(specificationOf(feed, name, version, feeds.lookup));
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
): readonly NugetNeed[] {
  const found = nearest(
    framework,
    groups.map((group) => group.framework),
  );
  if (found.kind === "unclear")
    throw new LockFallback(`which packages ${name} ${version} needs cannot be told`);
  return found.kind === "index" ? (groups[found.index]?.needs ?? []) : [];
}
