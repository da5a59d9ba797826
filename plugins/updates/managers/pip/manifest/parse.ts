/** Finds the dependencies of a Python project in all its files. */
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
} from "../../contract.js";
import { within } from "../../paths.js";
import { type PipLock, readPythonLocks } from "../lockfile/read.js";
import { pipVersioning } from "../versions/versions.js";
import { type Manifest, readManifests } from "./files.js";
import { normalizedName, type WrittenRequirement } from "./written-requirement.js";

const PUBLIC_INDEX = "https://pypi.org/simple";

interface Use {
  readonly written: WrittenRequirement;
  readonly manifest: Manifest;
}

export function pipParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const { manifests, broken } = readManifests(sources);
  const { locks, broken: unreadable } = readPythonLocks(sources);
  const groups = new Map<string, Use[]>();
  for (const manifest of manifests)
    for (const written of manifest.written) {
      const name = normalizedName(written.name);
      const known = groups.get(name);
      if (known) known.push({ written, manifest });
      else groups.set(name, [{ written, manifest }]);
    }
  const indexOf = indexes(manifests, settings);
  const direct = [...groups].map(([name, uses]): Dependency => {
    const lock = locks.find(({ versions }) => versions.has(name));
    const own = newest(uses);
    const current = lock?.versions.get(name) ?? pinned(own);
    const origin = originOf(name, uses, indexOf, lock);
    return {
      id: name,
      name,
      origin,
      declarations:
        origin.kind === "none" ? [] : own.flatMap((use) => declarationOf(use, lock !== undefined)),
      development: uses.every(({ written }) => written.development),
      current,
      ...(lock === undefined ? {} : { lockedBy: lock.file }),
    };
  });
  const self = manifests.find(({ name }) => name !== undefined);
  const python = pythonOf(sources, manifests);
  return {
    dependencies: [...direct, ...indirect(locks, groups, indexOf)],
    ...(self?.name === undefined
      ? {}
      : {
          self: {
            name: normalizedName(self.name),
            description: self.description,
            origin: { kind: "registry", url: indexOf.usual },
          },
        }),
    runtime: python === undefined ? {} : { python },
    broken: [...broken, ...unreadable],
  };
}

const declarationOf = ({ written, manifest }: Use, locked: boolean): readonly Declaration[] => {
  const { requirement, range, section, development, about, name } = written;
  // Without a requirement only the lock file can move.
  if (about || (requirement === "" && !locked)) return [];
  const extra = name === normalizedName(name) ? {} : { extra: { written: name } };
  return [{ file: manifest.file, range, requirement, section, development, ...extra }];
};

/** Of alternatives with markers, those for the newest version move; the others stay. */
function newest(uses: readonly Use[]): readonly Use[] {
  if (uses.length === 1) return uses;
  const floors = new Map<string, string>();
  const locationOf = ({ manifest, written }: Use): string => `${manifest.file} ${written.section}`;
  const floorOf = ({ written }: Use): string | undefined =>
    written.requirement === "" ? undefined : pipVersioning.floor(written.requirement);
  for (const use of uses) {
    const [highest, floor] = [floors.get(locationOf(use)), floorOf(use)];
    if (floor === undefined) continue;
    if (highest === undefined || pipVersioning.compare(floor, highest) > 0)
      floors.set(locationOf(use), floor);
  }
  return uses.filter((use) => {
    const [highest, floor] = [floors.get(locationOf(use)), floorOf(use)];
    return !highest || !floor || pipVersioning.compare(floor, highest) === 0;
  });
}

/** The lowest version that is pinned anywhere. */
const pinned = (uses: readonly Use[]): string | undefined =>
  uses
    .filter(({ written }) => /^(===?\s*)?\d[^*,|<>]*$/.test(written.requirement))
    .flatMap(({ written }) => pipVersioning.floor(written.requirement) ?? [])
    .toSorted(pipVersioning.compare)[0];

interface Indexes {
  /** Finds a file by its name. */
  named(name: string): string;
  /** The dependency as the lock file repeats it from the manifests. */
  locked(url: string): string;
  readonly usual: string;
}

const usable = (url: string): boolean => /^https?:\/\/[^${}]+$/.test(url) && URL.canParse(url);
const bare = (url: string): string => url.replace(/\/+$/, "");

/** The repository's registry, else the instance's, else the public one. Environment variables are never expanded. */
function indexes(manifests: readonly Manifest[], { registries }: ManagerSettings): Indexes {
  const said = new Map<string, string>();
  for (const { indexes: named } of manifests)
    for (const [name, url] of named) if (usable(url) && !said.has(name)) said.set(name, clean(url));
  const own = registries.filter(({ manager }) => manager === "pip");
  const instead = own.find(({ scope }) => scope === undefined)?.url;
  // An index that the files list before the public one is the default, unless the instance sets one.
  const first = manifests.flatMap(({ usual }) => usual ?? []).find(usable);
  const usual = bare(instead ?? (first === undefined ? PUBLIC_INDEX : clean(first)));
  const outside = bare(instead ?? PUBLIC_INDEX);
  return {
    usual,
    named: (name) => {
      const url = own.find(({ scope }) => scope === name)?.url ?? said.get(name);
      if (url !== undefined) return bare(url);
      return name.toLowerCase() === "pypi" ? outside : usual;
    },
    locked: (text) => {
      const url = usable(text) ? bare(clean(text)) : usual;
      if (url === PUBLIC_INDEX) return outside;
      return first !== undefined && url === bare(clean(first)) ? usual : url;
    },
  };
}

/** Without credentials, which only the instance sets. */
function clean(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  return url.href;
}

function originOf(
  name: string,
  uses: readonly Use[],
  indexOf: Indexes,
  lock: PipLock | undefined,
): DependencyOrigin {
  const elsewhere = uses.find(({ written }) => written.address !== undefined);
  if (elsewhere)
    return {
      kind: "none",
      why: `${name} does not come from an index in ${elsewhere.manifest.file}.`,
    };
  if (lock === undefined && uses.every(({ written }) => written.requirement === ""))
    return { kind: "none", why: `No version of ${name} is required.` };
  const named = uses.find(({ written }) => written.index !== undefined)?.written.index;
  return named === undefined
    ? lockedOrigin(name, lock, indexOf)
    : { kind: "registry", url: indexOf.named(named) };
}

function lockedOrigin(name: string, lock: PipLock | undefined, indexOf: Indexes): DependencyOrigin {
  if (!lock?.indexes.has(name)) return { kind: "registry", url: indexOf.usual };
  const url = lock.indexes.get(name);
  return url === undefined
    ? { kind: "none", why: `${name} does not come from an index in ${lock.file}.` }
    : { kind: "registry", url: indexOf.locked(url) };
}

function indirect(
  locks: readonly PipLock[],
  direct: ReadonlyMap<string, unknown>,
  indexOf: Indexes,
): readonly Dependency[] {
  const seen = new Set(direct.keys());
  return locks.flatMap((lock) =>
    [...lock.versions].flatMap(([name, version]): Dependency[] => {
      if (seen.has(name)) return [];
      seen.add(name);
      return [
        {
          id: name,
          name,
          origin: lockedOrigin(name, lock, indexOf),
          declarations: [],
          development: false,
          current: version,
          lockedBy: lock.file,
        },
      ];
    }),
  );
}

function pythonOf(sources: ProjectSources, manifests: readonly Manifest[]): string | undefined {
  const said = manifests.find(({ python }) => python !== undefined)?.python;
  if (said !== undefined) return said;
  const file = sources.files.get(within(sources.directory, ".python-version"));
  const version = /^\s*(\d+\.\d+)/m.exec(file ?? "")?.[1];
  return version === undefined ? undefined : `==${version}.*`;
}
