/** From composer.json and composer.lock to dependencies. */
import { UpdatesError } from "../../errors.js";
import { type JsonDocument, readJson } from "../../text/json.js";
import type {
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { existing, within } from "../paths.js";
import { constraintOf } from "./constraint.js";
import {
  isPlatform,
  jsonObject,
  type LockedPackage,
  readComposerLock,
  SECTIONS,
  textsOf,
} from "./document.js";
import { bare, composerRepositories, type Repositories } from "./repositories.js";
import { composerVersioning } from "./versioning.js";

export function composerWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const files = ["composer.json", "composer.lock"].map((name) => within(sources.directory, name));
  const found = existing(sources, files);
  return found.includes(files[0] ?? "") ? found : [];
}

export function composerParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const { directory, files } = sources;
  const [file, lockFile] = [within(directory, "composer.json"), within(directory, "composer.lock")];
  const broken: { file: RepositoryPath; why: string }[] = [];
  const attempt = <Value>(
    path: RepositoryPath,
    read: (text: string) => Value,
  ): Value | undefined => {
    const text = files.get(path);
    if (text === undefined) return undefined;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof UpdatesError)) throw error;
      broken.push({ file: path, why: error.message });
      return undefined;
    }
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
  /** What the project does not go together with. */
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

/** The first repository is the origin; those behind it are asked where it does not have the package. */
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

/** What the lock has and nobody declares. */
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
    // Only who says so is one: without a word, most are not.
    ...(type === "library" && typeof name === "string" && url !== undefined
      ? { self: { name, description: "", origin: { kind: "registry", url } } }
      : {}),
  };
}
