/** Finds dependencies in the manifests of a workspace and versions in Cargo.lock. */
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { existing, within } from "../../paths.js";
import { type CargoLock, type LockedCrate, readCargoLock } from "../lockfile.js";
import { cargoRegistries, type Registries } from "../registry.js";
import { cargoVersioning } from "../versions.js";
import { type CargoDependency, type CargoManifest, readCargoManifest } from "./cargo-toml.js";
import { atRoot, localManifests, manifestAt, memberManifests } from "./workspace.js";

export const cargoLockFile = ({ directory }: ProjectSources): RepositoryPath =>
  within(directory, "Cargo.lock");

/** The manifests of this configuration: a whole workspace, or one member and the root it inherits from. */
function manifestFiles(sources: ProjectSources, root: ProjectSources): readonly RepositoryPath[] {
  const own = existing(sources, [within(sources.directory, "Cargo.toml")]);
  return root === sources
    ? [...own, ...memberManifests(sources)]
    : [...own, within(root.directory, "Cargo.toml")];
}

interface Use {
  readonly dependency: CargoDependency;
  readonly origin: DependencyOrigin;
  readonly current: string | undefined;
  readonly declaration: Declaration | undefined;
}

export function cargoParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const root = atRoot(sources);
  const broken: BrokenFiles = [];
  const registries = cargoRegistries(root, settings);
  const lock = readLock(root, broken);
  const locked = index(lock);
  const own = within(sources.directory, "Cargo.toml");
  const inherits = (key: string): boolean =>
    manifestAt(sources, own)?.dependencies.some((one) => one.key === key && one.inherited) ?? false;
  const uses: Use[] = [];
  const rust: string[] = [];
  const top = manifestAt(root, within(root.directory, "Cargo.toml"));
  const onlyTests = onlyForTests(root);
  for (const file of manifestFiles(sources, root)) {
    const manifest = read(sources, file, broken);
    if (!manifest) continue;
    if (manifest.rust !== undefined) rust.push(manifest.rust);
    const inheritedOnly = file !== own && root !== sources;
    const mine = inheritedOnly ? [] : manifest.dependencies.filter(({ inherited }) => !inherited);
    const shared = manifest.shared.filter(({ key }) => !inheritedOnly || inherits(key));
    for (const dependency of [...mine, ...shared.map(onlyTests)])
      uses.push(use(dependency, file, manifest, locked, originOf(dependency, registries, top)));
  }
  const dependencies = grouped(uses, lock === undefined ? undefined : cargoLockFile(root));
  const direct = new Set(uses.map(({ dependency, current }) => `${dependency.name} ${current}`));
  const oldest = rust.toSorted(byNumbers)[0];
  return {
    dependencies: [...dependencies, ...indirect(lock, direct, root, registries)],
    runtime: oldest === undefined ? {} : { rust: oldest },
    broken,
  };
}

function read(
  sources: ProjectSources,
  file: RepositoryPath,
  broken: BrokenFiles,
): CargoManifest | undefined {
  const known = manifestAt(sources, file);
  const text = sources.files.get(file);
  if (known || text === undefined) return known;
  return readOrReport(file, broken, () => readCargoManifest(file, text));
}

function readLock(root: ProjectSources, broken: BrokenFiles): CargoLock | undefined {
  const file = cargoLockFile(root);
  const text = root.files.get(file);
  if (text === undefined) return undefined;
  try {
    return readCargoLock(text);
  } catch (error) {
    const why = (error as Error).message.split("\n")[0];
    broken.push({ file, why: `${file} cannot be read: ${why}.` });
    return undefined;
  }
}

interface Locked {
  readonly byName: ReadonlyMap<string, readonly LockedCrate[]>;
  /** The dependencies of a local package. */
  edges(name: string): readonly LockedCrate[];
}

function index(lock: CargoLock | undefined): Locked {
  const byName = new Map<string, LockedCrate[]>();
  for (const crate of lock?.crates.values() ?? []) {
    const alike = byName.get(crate.name);
    if (alike) alike.push(crate);
    else byName.set(crate.name, [crate]);
  }
  const edges = (name: string): readonly LockedCrate[] =>
    (byName.get(name) ?? [])
      .filter(({ source }) => source === undefined)
      .flatMap(({ dependencies }) => dependencies)
      .flatMap((key) => lock?.crates.get(key) ?? []);
  return { byName, edges };
}

function use(
  dependency: CargoDependency,
  file: RepositoryPath,
  manifest: CargoManifest,
  locked: Locked,
  origin: DependencyOrigin,
): Use {
  const { name, requirement, section, development, key } = dependency;
  const text = requirement?.text ?? "*";
  const fits = ({ version, source }: LockedCrate): boolean =>
    source !== undefined && cargoVersioning.satisfies(version, text);
  const among = manifest.package === undefined ? [] : edgesOf(manifest.package, locked);
  const candidates = among.filter((crate) => crate.name === name && fits(crate));
  const all = candidates.length > 0 ? candidates : (locked.byName.get(name) ?? []).filter(fits);
  const current = all.map(({ version }) => version).toSorted(cargoVersioning.compare)[0];
  const pinned = /^=\s*\d+\.\d+\.\d/.test(text) ? cargoVersioning.floor(text) : undefined;
  return {
    dependency,
    origin,
    current: current ?? pinned,
    declaration:
      requirement?.range === undefined
        ? undefined
        : {
            file,
            range: requirement.range,
            requirement: text,
            section,
            development,
            ...(key === name ? {} : { extra: { alias: key } }),
          },
  };
}

const known = new WeakMap<Locked, Map<string, readonly LockedCrate[]>>();
function edgesOf(name: string, locked: Locked): readonly LockedCrate[] {
  const cache = known.get(locked) ?? new Map<string, readonly LockedCrate[]>();
  known.set(locked, cache);
  const edges = cache.get(name) ?? locked.edges(name);
  cache.set(name, edges);
  return edges;
}

/** An inherited dependency is for development where all members use it so. */
function onlyForTests(root: ProjectSources): (shared: CargoDependency) => CargoDependency {
  let uses: readonly CargoDependency[] | undefined;
  return (shared) => {
    uses ??= localManifests(root)
      .flatMap((file) => manifestAt(root, file)?.dependencies ?? [])
      .filter(({ inherited }) => inherited);
    const own = uses.filter(({ key }) => key === shared.key);
    const development = own.length > 0 && own.every((each) => each.development);
    return { ...shared, development };
  };
}

function originOf(
  dependency: CargoDependency,
  registries: Registries,
  root: CargoManifest | undefined,
): DependencyOrigin {
  const { name, path, git, requirement, registry } = dependency;
  const patch = root?.patched.find(
    (each) =>
      each.name === name && (each.registry === registry || /:\/\//.test(each.registry ?? "")),
  );
  // Bundler takes another version from the registry without a warning.
  if (patch && path === undefined && git === undefined)
    return { kind: "none", why: `${name} is replaced in [${patch.section}].` };
  if (path !== undefined) return { kind: "none", why: `${name} is at ${path} in the repository.` };
  if (git !== undefined)
    return { kind: "none", why: `${name} comes from the repository ${shown(git)}.` };
  if (requirement === undefined) return { kind: "none", why: `No version of ${name} is required.` };
  if (requirement.range === undefined)
    return { kind: "none", why: `How ${name}'s version is written cannot be edited in place.` };
  return registries.originOf(dependency);
}

/** Without credentials. */
const shown = (url: string): string => url.replace(/\/\/[^/@]*@/, "//");

function grouped(uses: readonly Use[], lock: RepositoryPath | undefined): readonly Dependency[] {
  const groups = new Map<string, Use[]>();
  for (const one of uses) {
    const { dependency, current, origin } = one;
    const where = origin.kind === "none" ? "none" : origin.url;
    const key = `${dependency.name} ${where} ${current ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const counts = new Map<string, number>();
  for (const [{ dependency }] of groups.values() as Iterable<[Use, ...Use[]]>)
    counts.set(dependency.name, (counts.get(dependency.name) ?? 0) + 1);
  return [...groups].map(([key, members]): Dependency => {
    const [{ dependency, origin, current }] = members as [Use, ...Use[]];
    const { name } = dependency;
    const isLocked = lock !== undefined && current !== undefined && origin.kind !== "none";
    return {
      id: (counts.get(name) ?? 0) > 1 ? key : name,
      name,
      origin,
      declarations: members.flatMap(({ declaration }) => declaration ?? []),
      development: members.every((one) => one.dependency.development),
      current,
      ...(isLocked ? { lockedBy: lock } : {}),
    };
  });
}

/** A transitive dependency. */
function indirect(
  lock: CargoLock | undefined,
  direct: ReadonlySet<string>,
  root: ProjectSources,
  registries: Registries,
): readonly Dependency[] {
  return [...(lock?.crates.values() ?? [])].flatMap(({ name, version, source }): Dependency[] => {
    if (source === undefined || direct.has(`${name} ${version}`)) return [];
    const url = registries.ofSource(source);
    const origin: DependencyOrigin =
      url === undefined
        ? { kind: "none", why: `${name} comes from ${shown(source)}, which is not asked.` }
        : { kind: "registry", url };
    return [
      {
        id: `${name} ${version} (locked)`,
        name,
        origin,
        declarations: [],
        development: false,
        current: version,
        lockedBy: cargoLockFile(root),
      },
    ];
  });
}

/** `1.70` before `1.70.1` before `1.80`. */
export function byNumbers(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => text.split(/[-+]/)[0]?.split(".").map(Number) ?? []);
  for (let position = 0; position < 3; position += 1) {
    const difference = (first?.[position] ?? 0) - (second?.[position] ?? 0);
    if (difference) return difference;
  }
  return 0;
}
