/** One dependency for each runtime and line of releases, with all the files that name it. */
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
import { readImage } from "../../docker/manifest/image.js";
import { imageRegistry } from "../../docker/manifest/parse.js";
import { configuredUrl } from "../../origin.js";
import { sourcedDependency } from "../../patterns/sources.js";
import { type Runtime, runtimeName, runtimeOf } from "../table.js";
import { numbersOf, runtimeVersioning, shortened, writtenVersion } from "../versions.js";
import { readerOf, runtimesWanted } from "./files.js";
import type { FoundVersion } from "./found.js";

interface FoundRuntime {
  readonly name: string;
  /** Why no update moves it. */
  readonly why?: string;
  readonly version: string;
  readonly declaration: Declaration;
}

export function runtimesParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const found = runtimesWanted(sources).flatMap((file) => {
    const text = sources.files.get(file);
    if (text === undefined) return [];
    const versions = readOrReport(file, broken, () => readerOf(file)?.(file, text)) ?? [];
    return versions.flatMap((version) => runtimeIn(file, version, settings));
  });
  const groups = Map.groupBy(found, ({ name, why, version }) =>
    why === undefined ? `${name}@${lineOf(name, version)}` : `${name}: ${version}`,
  );
  return {
    dependencies: [...groups].map(([id, group]) => dependencyOf(id, group, settings)),
    runtime: {},
    broken,
  };
}

const lineOf = (name: string, version: string): string => {
  const line = shortened(version, runtimeOf(name)?.line ?? 1);
  return name === "yarn" && line !== "1" ? "2 and later" : line;
};

function runtimeIn(
  file: RepositoryPath,
  found: FoundVersion,
  settings: ManagerSettings,
): readonly FoundRuntime[] {
  const { tool, value, range, section, image, affixes } = found;
  const name = runtimeName(tool);
  const declare = (requirement: string, extra: Readonly<Record<string, string>>): Declaration => {
    const start = range.end - requirement.length;
    return {
      ...{ file, range: { start, end: range.end }, requirement, section, development: false },
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  };
  const without = (why: string): readonly FoundRuntime[] => [
    { name: name ?? tool, why, version: value, declaration: declare(value, {}) },
  ];
  const runtime = name === undefined ? undefined : runtimeOf(name);
  if (name === undefined || !runtime) return without(`No source of versions is known for ${tool}.`);
  if (image !== undefined) {
    const declaration = declare(value, imageExtra(image, affixes, settings));
    return isMovable(declaration)
      ? [{ name, version: writtenVersion(declaration).version, declaration }]
      : [];
  }
  const [, prefix = "", written = ""] = /^([a-z][\w-]*?-|go|v)?(\d.*)$/i.exec(value) ?? [];
  const known = [name, ...(runtime.aliases ?? [])].map((each) => `${each}-`);
  const [, version, hash] = /^(\d+(?:\.\d+)*)(\+[\w.]+)?$/.exec(written) ?? [];
  const isKnown = ["", "v", ...known, ...(runtime.prefixes ?? [])].includes(prefix.toLowerCase());
  if (version === undefined || !isKnown || (hash !== undefined && section !== "packageManager"))
    return without(`${name} is ${value}, which is no exact version.`);
  if (hash !== undefined && name === "yarn" && !version.startsWith("1."))
    return without(`${name} ${version} has a checksum that only Corepack computes.`);
  const packaged = hash === undefined ? {} : packageExtra(runtime, version, settings);
  return [{ name, version, declaration: declare(written, packaged) }];
}

/** Numbers that end inside a longer number, or between two arguments, cannot move. */
function isMovable(declaration: Declaration): boolean {
  const { version, suffix } = writtenVersion(declaration);
  const { before = "" } = declaration.extra ?? {};
  return (
    runtimeVersioning.isVersion(version) &&
    before === "" &&
    !/^[.\d]|^[-_.]?(rc|alpha|beta|a|b|ea|preview)(?![a-z])/i.test(suffix)
  );
}

function imageExtra(
  text: string,
  affixes: FoundVersion["affixes"],
  settings: ManagerSettings,
): Readonly<Record<string, string>> {
  const image = readImage(text);
  return {
    image: image?.repository ?? text,
    registry: imageRegistry(image?.registry, settings),
    ...(affixes ? { before: affixes.before, after: affixes.after } : {}),
  };
}

/** For the checksum of the package. */
function packageExtra(
  { source }: Runtime,
  version: string,
  settings: ManagerSettings,
): Readonly<Record<string, string>> {
  if (source.kind !== "package") return {};
  const name = source.name(version);
  const { origin } = sourcedDependency(source.source, name, "1.0.0", settings);
  return origin.kind === "registry" ? { packaged: name, registry: origin.url } : {};
}

function dependencyOf(
  id: string,
  group: readonly FoundRuntime[],
  settings: ManagerSettings,
): Dependency {
  const [{ name, why, version }] = group as [FoundRuntime, ...FoundRuntime[]];
  const declarations = group.map(({ declaration }) => declaration);
  const shared = { id, name, declarations, development: false } as const;
  if (why !== undefined) return { ...shared, origin: { kind: "none", why }, current: undefined };
  const depth = Math.max(...group.map((each) => numbersOf(each.version).length));
  // The most precise versions decide, and of these the oldest.
  const [current = version] = group
    .map((each) => each.version)
    .filter((each) => numbersOf(each).length === depth)
    .toSorted(runtimeVersioning.compare);
  return { ...shared, current, ...sourceOf(name, current, settings) };
}

function sourceOf(
  name: string,
  current: string,
  settings: ManagerSettings,
): Pick<Dependency, "origin" | "extra"> {
  const source = runtimeOf(name)?.source;
  const configured = configuredUrl(settings, "runtimes", (scope) => scope === name);
  if (configured !== undefined) return { origin: { kind: "git", url: configured } };
  if (!source) return { origin: none(`No source of versions is known for ${name}.`) };
  if (source.kind === "tags") return { origin: { kind: "git", url: source.url } };
  const found = sourcedDependency(
    source.source,
    source.name(current),
    source.example(current),
    settings,
  );
  return { origin: found.origin, extra: { ...found.extra, package: found.name } };
}

const none = (why: string): DependencyOrigin => ({ kind: "none", why });
