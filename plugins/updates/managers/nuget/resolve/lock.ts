/**
 * Moves packages in a lock file by resolving the graph before and after. The result is NuGet's own only if the old file is
 * reproduced byte by byte from its requirements; otherwise the move falls back.
 */

import type { Declaration, RepositoryPath, VersionChange } from "../../contract.js";
import { LockFallback } from "../../lock/refresh.js";
import { inOrder, type NugetLockEntry, type NugetLockSection, readNugetLock } from "../lockfile.js";
import { type NugetNeed, type PackageContent, packageContent } from "../registry/packages.js";
import { normalizedNuget, readRange, requested, shortened } from "../versions.js";
import { type CatalogFeed, catalog, type NugetItem } from "./catalog.js";
import { readFramework } from "./frameworks.js";
import { type GraphItem, resolved, type Want } from "./graph.js";

export interface Relocking extends CatalogFeed {
  readonly changes: readonly VersionChange[];
  /** All projects that were read. */
  readonly projects: readonly RepositoryPath[];
}

/** @throws LockFallback; as `Lookup` */
export async function moveLocked(text: string, relocking: Relocking): Promise<string> {
  const lock = readNugetLock(text);
  if (!lock) throw new LockFallback("it cannot be read");
  const names = new Set(relocking.changes.map(({ dependency }) => dependency.name.toLowerCase()));
  const touches = (section: NugetLockSection): boolean =>
    Object.entries(section).some(([name, { dependencies = {} }]) =>
      [name, ...Object.keys(dependencies)].some((each) => names.has(each.toLowerCase())),
    );
  if (![...lock.sections.values()].some(touches)) return text;
  const frameworks = [...lock.sections].filter(([framework]) => !framework.includes("/"));
  const after = new Map(lock.sections);
  for (const [framework, section] of frameworks)
    if (touches(section)) after.set(framework, await moved(framework, section, relocking));
  await assertMachines(lock.sections, after, relocking);
  const written = lock.written(after);
  if (written === undefined) throw new LockFallback("it is not written the way NuGet writes it");
  return written;
}

async function moved(
  key: string,
  section: NugetLockSection,
  relocking: Relocking,
): Promise<NugetLockSection> {
  const pins = new Map(await pinsOf(key, section, relocking));
  for (const { dependency, to } of relocking.changes)
    pins.set(dependency.name.toLowerCase(), normalizedNuget(to.version));
  const after = await worked(key, withNewRequirements(section, relocking), pins, relocking);
  for (const { dependency, to } of relocking.changes) {
    const [name, entry] = Object.entries(after).find(([each]) => same(each, dependency.name)) ?? [];
    if (entry?.resolved !== undefined && entry.resolved !== normalizedNuget(to.version))
      throw new LockFallback(`what needs ${name} does not allow ${to.version}`);
  }
  return after;
}

/**
 * The pins that reproduce the section: direct packages, since newer versions may exist, else all packages.
 * @throws LockFallback
 */
async function pinsOf(
  key: string,
  section: NugetLockSection,
  relocking: Relocking,
): Promise<ReadonlyMap<string, string>> {
  let failure: unknown;
  for (const holds of [({ type }: NugetLockEntry) => type === "Direct", () => true])
    try {
      const pins = new Map(
        Object.entries(section).flatMap(([name, entry]) =>
          entry.resolved !== undefined && holds(entry)
            ? [[name.toLowerCase(), entry.resolved] as const]
            : [],
        ),
      );
      const before = await worked(key, section, pins, relocking);
      if (JSON.stringify(before) === JSON.stringify(section)) return pins;
      failure ??= new LockFallback("it is not what its requirements lead to by now");
    } catch (thrown) {
      if (!(thrown instanceof LockFallback)) throw thrown;
      failure ??= thrown;
    }
  throw failure;
}

/** The section with what is asked for by now, and all else as it was. */
function withNewRequirements(
  section: NugetLockSection,
  { changes, projects }: Relocking,
): NugetLockSection {
  const names = new Set(
    projects.map((path) => /([^/]*)\.\w+$/.exec(path)?.[1]?.toLowerCase() ?? ""),
  );
  return Object.fromEntries(
    Object.entries(section).map(([name, entry]): [string, NugetLockEntry] => {
      const change = changes.find(({ dependency }) => same(dependency.name, name));
      if (entry.type === "Direct" && change)
        return [name, { ...entry, requested: next(change, entry.requested ?? "", requested) }];
      if (entry.type !== "Project" || !names.has(name.toLowerCase())) return [name, entry];
      const dependencies = Object.entries(entry.dependencies ?? {}).map(([need, range]) => {
        const own = changes.find(({ dependency }) => same(dependency.name, need));
        const style = /^[[(]/.test(range) ? requested : shortened;
        return [need, own ? next(own, range, style) : range] as const;
      });
      return [name, { ...entry, dependencies: Object.fromEntries(dependencies) }];
    }),
  );
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

type Style = (range: NonNullable<ReturnType<typeof readRange>>) => string | undefined;

/** The new form of a requirement, from the changed declarations with the same value. @throws LockFallback */
function next(
  { dependency: { name, declarations }, requirements }: VersionChange,
  before: string,
  style: Style,
): string {
  const said = (text: string): string | undefined => {
    const range = readRange(text);
    return range && style(range);
  };
  const wanted = new Set(
    declarations.flatMap(({ requirement }: Declaration, index) =>
      said(requirement) === said(before) ? [said(requirements[index] ?? requirement)] : [],
    ),
  );
  const [only] = wanted;
  if (wanted.size !== 1 || only === undefined)
    throw new LockFallback(`what asks for ${name} ${before} cannot be told`);
  return only;
}

/** The section as it has to be for what its entries ask for. */
async function worked(
  key: string,
  section: NugetLockSection,
  pins: ReadonlyMap<string, string>,
  relocking: Relocking,
): Promise<NugetLockSection> {
  const framework = readFramework(key);
  if (typeof framework !== "object") throw new LockFallback(`${key} is not understood`);
  const entries = Object.entries(section);
  const unknown = entries.find(
    ([, { type }]) => !["Direct", "Transitive", "Project"].includes(type ?? ""),
  );
  if (unknown)
    throw new LockFallback(`${unknown[0]} is ${unknown[1].type ?? "without a kind"} in it`);
  const ofProjects = entries.filter(([, { type }]) => type === "Project");
  const projects = new Map(
    ofProjects.map(([name, entry]) => [
      name.toLowerCase(),
      Object.entries(entry.dependencies ?? {}).map(
        ([need, range]): NugetNeed => ({ name: need, range }),
      ),
    ]),
  );
  const { find, items } = catalog(framework, relocking, pins, projects);
  const taken = await resolved(rootsOf(entries), find);
  const others = [...taken].filter(([name]) => !projects.has(name));
  const written = await Promise.all(
    others.map(async ([name, item]) => {
      const old = entries.find(([each]) => same(each, name));
      return entryOf(items.get(`${name} ${item.version}`) ?? item, old?.[1], relocking);
    }),
  );
  if (ofProjects.some(([name]) => !taken.has(name.toLowerCase())))
    throw new LockFallback("a project in it is needed by nothing");
  return inOrder([...written, ...ofProjects]);
}

/** Direct dependencies of the project, and of other projects those that no other project has. */
function rootsOf(entries: readonly (readonly [string, NugetLockEntry])[]): readonly Want[] {
  const projects = entries.filter(([, { type }]) => type === "Project");
  const inner = new Set(
    projects.flatMap(([, { dependencies = {} }]) =>
      Object.keys(dependencies).map((name) => name.toLowerCase()),
    ),
  );
  return [
    ...entries.flatMap(([name, { type, requested: text = "" }]): readonly Want[] => {
      const range = readRange(text);
      if (type !== "Direct") return [];
      if (!range) throw new LockFallback(`the range ${text} of ${name} is not understood`);
      return [{ name, range }];
    }),
    ...projects
      .filter(([name]) => !inner.has(name.toLowerCase()))
      .map(([name]): Want => ({ name, range: undefined })),
  ];
}

async function entryOf(
  item: GraphItem & Partial<NugetItem>,
  old: NugetLockEntry | undefined,
  relocking: Relocking,
): Promise<readonly [string, NugetLockEntry]> {
  const { name, version, needs = [] } = item;
  const dependencies = needs
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((need) => [need.name, short(need)] as const);
  const contentHash =
    old?.resolved === version && old.contentHash !== undefined
      ? old.contentHash
      : (await contentFrom(relocking, name, version)).hash;
  return [
    name,
    {
      type: old?.type === "Direct" ? "Direct" : "Transitive",
      ...(old?.type === "Direct" && old.requested !== undefined
        ? { requested: old.requested }
        : {}),
      ...{ resolved: version, contentHash },
      ...(dependencies.length > 0 ? { dependencies: Object.fromEntries(dependencies) } : {}),
    },
  ];
}

const short = ({ range }: NugetNeed): string => {
  const read = readRange(range);
  return read ? shortened(read) : "(, )";
};

async function contentFrom(
  { feeds, lookup }: CatalogFeed,
  name: string,
  version: string,
): Promise<PackageContent> {
  for (const feed of feeds(name)) {
    const content = await packageContent(feed, name, version, lookup);
    if (content) return content;
  }
  throw new LockFallback(`no feed serves ${name} ${version} itself`);
}

/** Platform-specific sections stay if no new package affects them. */
async function assertMachines(
  before: ReadonlyMap<string, NugetLockSection>,
  after: ReadonlyMap<string, NugetLockSection>,
  relocking: Relocking,
): Promise<void> {
  for (const [key] of [...before].filter(([each]) => each.includes("/"))) {
    const framework = key.split("/")[0] ?? "";
    const [old, now] = [before.get(framework) ?? {}, after.get(framework) ?? {}];
    const own = before.get(key) ?? {};
    const inUse = new Set(
      Object.entries(own).flatMap(([name, { dependencies = {} }]) =>
        [name, ...Object.keys(dependencies)].map((each) => each.toLowerCase()),
      ),
    );
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const versions = [old[name]?.resolved, now[name]?.resolved];
      if (versions[0] === versions[1]) continue;
      for (const version of versions)
        if (version !== undefined && (await contentFrom(relocking, name, version)).byMachine)
          throw new LockFallback(`${name} needs other packages on other machines`);
      if (inUse.has(name.toLowerCase()))
        throw new LockFallback(`${key} has to do with ${name}, too`);
    }
  }
}
