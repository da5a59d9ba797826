/** What a Python project depends on, in whatever files it says so. */
import type { Declaration, Dependency, Found, Origin, Settings, Sources } from "../contract.js";
import { within } from "../paths.js";
import { readLocks } from "./locks.js";
import { type Manifest, readManifests } from "./manifests.js";
import { pipVersioning } from "./versioning.js";
import { normalised, type Written } from "./written.js";

const PUBLIC_INDEX = "https://pypi.org/simple";

interface Use {
  readonly written: Written;
  readonly manifest: Manifest;
}

export function pipParse(sources: Sources, settings: Settings): Found {
  const { manifests, broken } = readManifests(sources);
  const { locks, broken: unreadable } = readLocks(sources);
  const groups = new Map<string, Use[]>();
  for (const manifest of manifests)
    for (const written of manifest.written) {
      const name = normalised(written.name);
      const known = groups.get(name);
      if (known) known.push({ written, manifest });
      else groups.set(name, [{ written, manifest }]);
    }
  const indexOf = indexes(manifests, settings);
  const direct = [...groups].map(([name, uses]): Dependency => {
    const lock = locks.find(({ versions }) => versions.has(name));
    const current = lock?.versions.get(name) ?? pinned(uses);
    const origin = originOf(name, uses, indexOf, lock !== undefined);
    return {
      id: name,
      name,
      origin,
      declarations:
        origin.kind === "none" ? [] : uses.flatMap((use) => declarationOf(use, lock !== undefined)),
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
            name: normalised(self.name),
            description: self.description,
            origin: { kind: "registry", url: indexOf(undefined) },
          },
        }),
    runtime: python === undefined ? {} : { python },
    broken: [...broken, ...unreadable],
  };
}

const declarationOf = ({ written, manifest }: Use, locked: boolean): readonly Declaration[] => {
  const { requirement, range, section, development, address, name } = written;
  // Where any version will do, only a lock file can move.
  if (address !== undefined || (requirement === "" && !locked)) return [];
  const extra = name === normalised(name) ? {} : { extra: { written: name } };
  return [{ file: manifest.file, range, requirement, section, development, ...extra }];
};

/** The lowest version that is pinned anywhere. */
const pinned = (uses: readonly Use[]): string | undefined =>
  uses
    .filter(({ written }) => /^(===?\s*)?\d[^*,|<>]*$/.test(written.requirement))
    .flatMap(({ written }) => pipVersioning.floor(written.requirement) ?? [])
    .toSorted(pipVersioning.compare)[0];

/** The address of an index by its name, of the usual one without. */
type IndexOf = (name: string | undefined) => string;

const usable = (url: string): boolean => /^https?:\/\/[^${}]+$/.test(url) && URL.canParse(url);

/** What the repository says, then the instance's, then the public one. Nothing of the environment is put into it. */
function indexes(manifests: readonly Manifest[], { registries }: Settings): IndexOf {
  const said = new Map<string, string>();
  for (const { indexes: named } of manifests)
    for (const [name, url] of named) if (usable(url) && !said.has(name)) said.set(name, clean(url));
  const own = registries.filter(({ manager }) => manager === "pip");
  const usual = own.find(({ scope }) => scope === undefined)?.url;
  // An index that stands in front of the public one in the files is the usual one, unless the instance has its own.
  const first = manifests
    .flatMap((manifest) => [...manifest.indexes.values()].slice(0, 1))
    .find(usable);
  const fallback = usual ?? (first === undefined ? PUBLIC_INDEX : clean(first));
  return (name) =>
    (
      own.find(({ scope }) => scope !== undefined && scope === name)?.url ??
      (name === undefined ? undefined : said.get(name)) ??
      fallback
    ).replace(/\/+$/, "");
}

/** Without a name and a password in it: those are the instance's affair. */
function clean(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  return url.href;
}

function originOf(name: string, uses: readonly Use[], indexOf: IndexOf, locked: boolean): Origin {
  const elsewhere = uses.find(({ written }) => written.address !== undefined);
  if (elsewhere)
    return {
      kind: "none",
      why: `${name} does not come from an index in ${elsewhere.manifest.file}.`,
    };
  if (!locked && uses.every(({ written }) => written.requirement === ""))
    return { kind: "none", why: `No version of ${name} is required.` };
  return {
    kind: "registry",
    url: indexOf(uses.find(({ written }) => written.index !== undefined)?.written.index),
  };
}

function indirect(
  locks: ReturnType<typeof readLocks>["locks"],
  direct: ReadonlyMap<string, unknown>,
  indexOf: IndexOf,
): readonly Dependency[] {
  const seen = new Set(direct.keys());
  return locks.flatMap(({ file, versions }) =>
    [...versions].flatMap(([name, version]): Dependency[] => {
      if (seen.has(name)) return [];
      seen.add(name);
      return [
        {
          id: name,
          name,
          origin: { kind: "registry", url: indexOf(undefined) },
          declarations: [],
          development: false,
          current: version,
          lockedBy: file,
        },
      ];
    }),
  );
}

function pythonOf(sources: Sources, manifests: readonly Manifest[]): string | undefined {
  const said = manifests.find(({ python }) => python !== undefined)?.python;
  if (said !== undefined) return said;
  const file = sources.files.get(within(sources.directory, ".python-version"));
  const version = /^\s*(\d+\.\d+)/m.exec(file ?? "")?.[1];
  return version === undefined ? undefined : `==${version}.*`;
}
