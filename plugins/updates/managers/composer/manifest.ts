/** Finds dependencies in composer.json and composer.lock. */

import { type JsonDocument, readJson } from "../../text/json.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { existing, within } from "../paths.js";
import {
  isPlatform,
  type JsonObject,
  jsonObject,
  type LockedPackage,
  readComposerLock,
  SECTIONS,
  textsOf,
} from "./lockfile/read.js";
import { composerVersioning, constraintOf } from "./versions/versions.js";

export function composerWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const files = ["composer.json", "composer.lock"].map((name) => within(sources.directory, name));
  const found = existing(sources, files);
  return found.includes(files[0] ?? "") ? found : [];
}

export function composerParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const { directory, files } = sources;
  const [file, lockFile] = [within(directory, "composer.json"), within(directory, "composer.lock")];
  const broken: BrokenFiles = [];
  const attempt = <Value>(
    path: RepositoryPath,
    read: (text: string) => Value,
  ): Value | undefined => {
    const text = files.get(path);
    return text === undefined ? undefined : readOrReport(path, broken, () => read(text));
  };
  const json = attempt(file, (text) => readJson(file, text));
  const locked = attempt(lockFile, (text) => readComposerLock(lockFile, text));
  if (!json) return { dependencies: [], runtime: {}, broken };
  const context: ComposerContext = {
    file,
    lockFile,
    repositories: composerRepositories(json.value("repositories"), settings),
    conflicts: textsOf(json.value("conflict")),
    locked: new Map(locked?.map((one) => [one.name, one])),
  };
  const direct = declared(json, context);
  return {
    dependencies: [...direct, ...indirect(direct, context)],
    broken,
    ...about(json, context),
  };
}

interface ComposerContext {
  readonly file: RepositoryPath;
  readonly lockFile: RepositoryPath;
  readonly repositories: Repositories;
  /** Versions in conflict with the project. */
  readonly conflicts: ReadonlyMap<string, string>;
  readonly locked: ReadonlyMap<string, LockedPackage>;
}

function declared(json: JsonDocument, context: ComposerContext): readonly Dependency[] {
  const { file, locked, lockFile } = context;
  const all = SECTIONS.flatMap((section) =>
    json
      .texts(section)
      .filter(({ key }) => !isPlatform(key) && key.includes("/"))
      .map(({ key, value, range }) => ({
        name: key.toLowerCase(),
        declaration: {
          file,
          range,
          requirement: value,
          section,
          development: section !== "require",
        },
      })),
  );
  return [...Map.groupBy(all, ({ name }) => name)].map(([name, group]): Dependency => {
    const declarations = group.map(({ declaration }) => declaration);
    const one = locked.get(name);
    const pinned = declarations
      .map(({ requirement }) => requirement.trim())
      .filter(composerVersioning.isVersion);
    const odd = declarations.find(({ requirement }) => !constraintOf(requirement));
    const why = odd
      ? `${name} follows ${odd.requirement}, which is no range of versions.`
      : undefined;
    const current = one?.version ?? pinned.toSorted(composerVersioning.compare)[0];
    return {
      id: name,
      name,
      ...originOf(name, why, context),
      declarations,
      development: declarations.every(({ development }) => development),
      current: current !== undefined && composerVersioning.isVersion(current) ? current : undefined,
      ...(one ? { lockedBy: lockFile } : {}),
    };
  });
}

/** The origin is the first repository; the later ones are queried for packages it lacks. */
function originOf(
  name: string,
  why: string | undefined,
  { repositories, locked, conflicts }: ComposerContext,
): Pick<Dependency, "origin" | "extra"> {
  const { remote, inline, sources } = repositories;
  const entry = locked.get(name)?.entry;
  const [source, dist] = [jsonObject(entry?.source), jsonObject(entry?.dist)];
  const none = (sentence: string): { origin: DependencyOrigin } => ({
    origin: { kind: "none", why: sentence },
  });
  if (why !== undefined) return none(why);
  if (inline.has(name)) return none(`${name} is described by the project itself.`);
  if (dist.type === "path") return none(`${name} comes from a directory.`);
  if (sources.includes(bare(String(source.url))))
    return none(`${name} comes from a repository of its own.`);
  if (typeof dist.url === "string" && !/^https?:/.test(dist.url))
    return none(`${name} comes from a file.`);
  const matching = remote.filter(({ has }) => has(name));
  const [url, ...others] = new Set(matching.map((repository) => repository.url));
  if (url === undefined) return none(`No repository of packages is left to ask for ${name}.`);
  const open = matching.filter((repository) => repository.open).map((repository) => repository.url);
  const conflict = conflicts.get(name);
  return {
    origin: { kind: "registry", url },
    extra: {
      ...(others.length === 0 ? {} : { others: others.join(" ") }),
      ...(open.length === 0 ? {} : { open: open.join(" ") }),
      ...(conflict === undefined ? {} : { conflict }),
    },
  };
}

/** Locked packages without a declaration. */
function indirect(direct: readonly Dependency[], context: ComposerContext): readonly Dependency[] {
  const known = new Set(direct.map(({ name }) => name));
  return [...context.locked.values()]
    .filter(({ name, version }) => !known.has(name) && composerVersioning.isVersion(version))
    .map(({ name, version, development }) => ({
      id: name,
      name,
      ...originOf(name, undefined, context),
      declarations: [],
      development,
      current: version,
      lockedBy: context.lockFile,
    }));
}

function about(
  json: JsonDocument,
  { repositories }: ComposerContext,
): Pick<ParsedProject, "self" | "runtime"> {
  const platform = textsOf(json.value("config", "platform")).get("php");
  const php = platform ?? textsOf(json.value("require")).get("php");
  const [name, type] = [json.value("name"), json.value("type")];
  const url = repositories.remote[0]?.url;
  return {
    runtime: php !== undefined && constraintOf(php) ? { php } : {},
    // Publication must be explicit: most projects are not published.
    ...(type === "library" && typeof name === "string" && url !== undefined
      ? { self: { name, description: "", origin: { kind: "registry", url } } }
      : {}),
  };
}

const PUBLIC = "https://repo.packagist.org";

/** A repository with Composer's protocol. */
interface ComposerRepository {
  readonly url: string;
  /** Whether it may be asked for a package. */
  readonly has: (name: string) => boolean;
  /** Packages may also come from later repositories. */
  readonly open: boolean;
}

interface Repositories {
  /** In the order in which they are queried. */
  readonly remote: readonly ComposerRepository[];
  /** Packages described in composer.json. */
  readonly inline: ReadonlySet<string>;
  /** Directories relative to the project; `*` matches one name. */
  readonly directories: readonly string[];
  /** Version control systems and directories, whose package names are unknown. */
  readonly sources: readonly string[];
}

/** The instance may replace the repositories, including the public one. */
export function composerRepositories(said: unknown, settings: ManagerSettings): Repositories {
  const own = settings.registries.filter(({ manager }) => manager === "composer");
  const instead = (url: string): string =>
    bare(
      own.find(({ scope }) => scope !== undefined && bare(scope) === bare(url))?.url ??
        (isPublic(url) ? own.find(({ scope }) => scope === undefined)?.url : undefined) ??
        url,
    );
  const list: readonly unknown[] = Array.isArray(said)
    ? said
    : Object.entries(jsonObject(said)).map(named);
  const entries = list.map(jsonObject);
  const off = entries.some(
    (entry) => entry["packagist.org"] === false || entry.packagist === false,
  );
  const declared = entries
    .filter(({ type, url }) => type === "composer" && typeof url === "string")
    .map(
      (entry): ComposerRepository => ({
        url: instead(String(entry.url)),
        has: filterOf(entry),
        open: entry.canonical === false,
      }),
    );
  const inline = entries
    .filter(({ type }) => type === "package")
    .flatMap((entry) => (Array.isArray(entry.package) ? entry.package : [entry.package]))
    .map((one) => String(jsonObject(one).name).toLowerCase());
  const sources = entries
    .filter(
      ({ type, url }) => !["composer", "package"].includes(String(type)) && typeof url === "string",
    )
    .map(({ url }) => bare(String(url)));
  const directories = entries
    .filter(({ type, url }) => type === "path" && typeof url === "string")
    .map(({ url }) => String(url));
  return {
    directories,
    remote: [
      ...declared,
      ...(off ? [] : [{ url: instead(PUBLIC), has: () => true, open: false }]),
    ].filter(({ url }) => /^https?:/.test(url)),
    inline: new Set(inline),
    sources,
  };
}

/** `"only": ["acme/*"]`, `"exclude": ["acme/secret"]`: other packages are not queried there. */
function filterOf({ only, exclude }: JsonObject): ComposerRepository["has"] {
  const listed = (value: unknown): RegExp | undefined =>
    Array.isArray(value) ? new RegExp(`^(?:${value.map(patternOf).join("|")})$`, "i") : undefined;
  const [wanted, unwanted] = [listed(only), listed(exclude)];
  return (name) => (wanted?.test(name) ?? true) && !(unwanted?.test(name) ?? false);
}

const patternOf = (text: unknown): string =>
  String(text)
    .split("*")
    .map((part) => RegExp.escape(part))
    .join(".*");

/** `{ "packagist.org": false }`, and repositories by name. */
const named = ([name, value]: readonly [string, unknown]): JsonObject =>
  typeof value === "object" ? jsonObject(value) : { [name]: value };

const isPublic = (url: string): boolean => /^https?:\/\/(repo\.)?packagist\.org\/?$/.test(url);

const bare = (url: string): string =>
  url
    .replace(/^(https?:\/\/)[^/@]*@/, "$1")
    .replace(/\/(packages\.json)?$/, "")
    .replace(/\/+$/, "");
