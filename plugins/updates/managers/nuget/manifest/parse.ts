/** Finds the packages of a solution: all declarations, and the versions in lock files. */
import { posix } from "node:path";
import { UpdatesError } from "../../../errors.js";
import { readJson } from "../../../text/json.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { declare } from "../../declare.js";
import { within } from "../../paths.js";
import { type SharedVersion, sharing } from "../../shared-versions.js";
import { type NugetLockEntry, readNugetLock } from "../lockfile.js";
import { feedsOf } from "../registry/feeds.js";
import { compareNuget, nugetVersioning } from "../versions.js";
import { type NugetDeclaration, readProject } from "./declarations.js";
import { isNugetLock, isProject, named, TOOLS } from "./files.js";
import { sdkDependencies } from "./sdk.js";

interface Group {
  /** In lower case, since NuGet ignores case. */
  readonly name: string;
  readonly declarations: Declaration[];
  readonly properties: Set<string>;
  why: string | undefined;
}

interface Property {
  readonly name?: string;
  readonly file: RepositoryPath;
  readonly text: string;
  readonly range: Declaration["range"];
}

type Broken = ParsedProject["broken"][number];

export function nugetParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: Broken[] = [];
  const groups = new Map<string, Group>();
  const { declarations, properties, uses } = readAll(sources, broken);
  for (const { file, ...declaration } of declarations) {
    const { name, section, allowed } = declaration;
    const key = name.toLowerCase();
    const users = uses.get(key) ?? [];
    // A central version and the projects that use it.
    const development =
      section === "PackageVersion" && users.length > 0
        ? users.every(Boolean)
        : declaration.development;
    const group = groups.get(key) ?? {
      name: key,
      declarations: [],
      properties: new Set<string>(),
      why: undefined,
    };
    groups.set(key, group);
    const written = followed(properties, { file, ...declaration });
    if (!written || !/[\d*]/.test(written.text) || written.text.includes("$(")) {
      group.why ??= `${file} takes the version of ${name} from ${declaration.text}, which has no literal value in the repository.`;
      continue;
    }
    if (written.property !== undefined) group.properties.add(`${written.file} ${written.property}`);
    declare(group.declarations, {
      file: written.file,
      range: written.range,
      requirement: written.text,
      section,
      development,
      ...(allowed === undefined ? {} : { extra: { allowed } }),
    });
  }
  const locked = lockedIn(sources, broken);
  for (const key of locked.keys())
    if (!groups.has(key))
      groups.set(key, {
        name: key,
        declarations: [],
        properties: new Set(),
        why: undefined,
      });
  const shared = sharing([...groups.values()]);
  return {
    dependencies: [
      ...[...groups].map(([key, group]) =>
        dependency(group, {
          ...{ locked: locked.get(key), shared: shared.get(group.name) },
          ...{ sources, settings },
        }),
      ),
      ...sdkDependencies(sources, settings),
    ],
    runtime: {},
    broken,
  };
}

interface DeclarationInFile extends NugetDeclaration {
  readonly file: RepositoryPath;
}

function readAll(sources: ProjectSources, broken: Broken[]) {
  const declarations: DeclarationInFile[] = [];
  const properties = new Map<RepositoryPath, ReadonlyMap<string, Property>>();
  const uses = new Map<string, boolean[]>();
  for (const [file, text] of sources.files)
    try {
      if (isProject(file) || named(file, "packages.config")) {
        const project = readProject(file, text);
        declarations.push(...project.declarations.map((declaration) => ({ ...declaration, file })));
        for (const { name, development } of project.uses) {
          const key = name.toLowerCase();
          uses.set(key, [...(uses.get(key) ?? []), development]);
        }
        properties.set(
          file,
          new Map([...project.properties].map(([name, value]) => [name, { ...value, file }])),
        );
      } else if (named(file, "global.json"))
        declarations.push(
          ...fromJson(file, text, (json) => json.texts("msbuild-sdks"), "msbuild-sdks"),
        );
      else if (TOOLS.some((tools) => file === within(sources.directory, tools)))
        declarations.push(
          ...fromJson(
            file,
            text,
            (json) =>
              json.keys("tools").flatMap((tool) =>
                json
                  .texts("tools", tool)
                  .filter(({ key }) => key === "version")
                  .map((version) => ({ ...version, key: tool })),
              ),
            "tools",
          ),
        );
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError)) throw thrown;
      broken.push({ file, why: thrown.message });
    }
  return { declarations, properties, uses };
}

function fromJson(
  file: RepositoryPath,
  text: string,
  texts: (json: ReturnType<typeof readJson>) => readonly {
    readonly key: string;
    readonly value: string;
    readonly range: Declaration["range"];
  }[],
  section: string,
): readonly DeclarationInFile[] {
  return texts(readJson(file, text, { comments: true })).map(({ key, value, range }) => ({
    ...{ file, name: key, text: value, range, section },
    development: true,
  }));
}

/** Follows a value that is only a property reference. */
function followed(
  properties: ReadonlyMap<RepositoryPath, ReadonlyMap<string, Property>>,
  start: Property,
): (Property & { readonly property?: string }) | undefined {
  let value: (Property & { readonly property?: string }) | undefined = start;
  for (let depth = 0; value && depth < 10; depth += 1) {
    const property: string | undefined = /^\$\(([\w.]+)\)$/.exec(value.text)?.[1];
    if (property === undefined) return value;
    const next: Property | undefined = resolve(properties, value.file, property.toLowerCase());
    value = next && { ...next, property: next.name ?? property };
  }
  return undefined;
}

/** The value in the file, else in the nearest parent directory, else anywhere. */
function resolve(
  properties: ReadonlyMap<RepositoryPath, ReadonlyMap<string, Property>>,
  file: RepositoryPath,
  name: string,
): Property | undefined {
  const own = properties.get(file)?.get(name);
  if (own) return own;
  const near = (path: RepositoryPath): number => {
    const directory = posix.dirname(path);
    return directory === "." || `${file}/`.startsWith(`${directory}/`) ? directory.length : -1;
  };
  return [...properties]
    .filter(([, known]) => known.has(name))
    .toSorted(([a], [b]) => near(b) - near(a))
    .map(([, known]) => known.get(name))[0];
}

interface Locked {
  readonly name: string;
  readonly version: string;
  readonly file: RepositoryPath;
}

/** The oldest version of each package in lock files. */
function lockedIn({ files }: ProjectSources, broken: Broken[]): ReadonlyMap<string, Locked> {
  const found = new Map<string, Locked>();
  for (const [file, text] of files) {
    if (!isNugetLock(file)) continue;
    const lock = readNugetLock(text);
    if (!lock) broken.push({ file, why: `${file} is no lock file of NuGet.` });
    const entries = [...(lock?.sections.values() ?? [])].flatMap(Object.entries<NugetLockEntry>);
    for (const [name, { resolved: version }] of entries) {
      if (typeof version !== "string" || !nugetVersioning.isVersion(version)) continue;
      const known = found.get(name.toLowerCase());
      if (!known || compareNuget(version, known.version) < 0)
        found.set(name.toLowerCase(), { name, version, file });
    }
  }
  return found;
}

interface NugetContext {
  readonly locked: Locked | undefined;
  readonly shared: SharedVersion | undefined;
  readonly sources: ProjectSources;
  readonly settings: ManagerSettings;
}

function dependency(group: Group, { locked, shared, sources, settings }: NugetContext): Dependency {
  const { name, declarations } = group;
  const [url = "", ...more] = feedsOf(name, sources, settings);
  const extra = {
    ...(more.length > 0 ? { repositories: more.join(" ") } : {}),
    ...(shared && shared.others.length > 0 ? { sharers: shared.others.join(" ") } : {}),
  };
  return {
    id: name.toLowerCase(),
    name,
    origin: originOf(group, url),
    declarations,
    development: declarations.length > 0 && declarations.every((one) => one.development),
    current:
      locked?.version ??
      declarations
        .map(({ requirement }) => nugetVersioning.floor(requirement))
        .filter((version) => version !== undefined)
        .toSorted(compareNuget)[0],
    ...(locked === undefined ? {} : { lockedBy: locked.file }),
    ...(shared === undefined ? {} : { together: shared.word }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

function originOf({ name, declarations, why }: Group, url: string): Dependency["origin"] {
  if (declarations.length === 0 && why !== undefined) return { kind: "none", why };
  return url === ""
    ? { kind: "none", why: `nuget.config names no feed of the third version for ${name}.` }
    : { kind: "registry", url };
}
