/** What a Gopkg.toml constrains, and what its Gopkg.lock has. */
import { UpdatesError } from "../../errors.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { existing, within } from "../paths.js";
import { type Constraint, type Locked, readGopkg, readGopkgLock } from "./gopkg.js";
import { depVersioning } from "./versioning.js";

export const lockFile = ({ directory }: ProjectSources): RepositoryPath =>
  within(directory, "Gopkg.lock");

export function depWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const own = existing(sources, [within(sources.directory, "Gopkg.toml")]);
  return own.length === 0 ? [] : [...own, ...existing(sources, [lockFile(sources)])];
}

export function depParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: { file: string; why: string }[] = [];
  const read = <Result>(
    file: RepositoryPath,
    reader: (file: string, text: string) => readonly Result[],
  ): readonly Result[] => {
    const text = sources.files.get(file);
    try {
      return text === undefined ? [] : reader(file, text);
    } catch (error) {
      if (!(error instanceof UpdatesError)) throw error;
      broken.push({ file, why: error.message });
      return [];
    }
  };
  const file = within(sources.directory, "Gopkg.toml");
  const groups = new Map<string, Constraint[]>();
  for (const constraint of read(file, readGopkg))
    groups.set(constraint.name, [...(groups.get(constraint.name) ?? []), constraint]);
  const lock = lockFile(sources);
  const locked = new Map(read(lock, readGopkgLock).map((each) => [each.name, each]));
  const names = [...new Set([...groups.keys(), ...locked.keys()])];
  const dependencies = names.map((name) =>
    dependency({
      name,
      constraints: groups.get(name) ?? [],
      locked: locked.get(name),
      file,
      lock,
      settings,
    }),
  );
  return { dependencies, runtime: {}, broken };
}

interface Named {
  readonly name: string;
  readonly constraints: readonly Constraint[];
  readonly locked: Locked | undefined;
  readonly file: RepositoryPath;
  readonly lock: RepositoryPath;
  readonly settings: ManagerSettings;
}

function dependency({ name, constraints, locked, file, lock, settings }: Named): Dependency {
  const declarations = constraints.flatMap(({ version, section }): readonly Declaration[] =>
    version === undefined || depVersioning.floor(version.text) === undefined
      ? []
      : [{ file, range: version.range, requirement: version.text, section, development: false }],
  );
  const version = locked?.version?.text;
  const inUse = version !== undefined && depVersioning.isVersion(version) ? version : undefined;
  return {
    id: name,
    name,
    origin: originOf(name, constraints, declarations, inUse, settings, locked?.source),
    declarations,
    development: false,
    current: inUse,
    ...(inUse === undefined ? {} : { lockedBy: lock }),
  };
}

function originOf(
  name: string,
  constraints: readonly Constraint[],
  declarations: readonly Declaration[],
  current: string | undefined,
  settings: ManagerSettings,
  lockedSource: string | undefined,
): DependencyOrigin {
  const follows = constraints.find((each) => each.follows !== undefined)?.follows;
  if (follows !== undefined) return { kind: "none", why: `${name} follows ${follows}.` };
  if (declarations.length === 0 && current === undefined)
    return { kind: "none", why: `Nothing says which version of ${name} is used.` };
  const source = constraints.find((each) => each.source !== undefined)?.source ?? lockedSource;
  const url = source ?? repositoryOf(name, settings);
  if (url === undefined || !/^(https?|file):\/\//.test(url))
    return { kind: "none", why: `Where the repository of ${name} is, is not known.` };
  return { kind: "git", url };
}

/** Where a repository is fetched that a path of packages lies in; undefined where only Go itself would find out. */
function repositoryOf(name: string, { registries }: ManagerSettings): string | undefined {
  const [host = "", ...path] = name.split("/");
  const own = registries.filter(({ manager }) => manager === "dep");
  const base = (
    own.find(({ scope }) => scope === host) ??
    (host === "github.com" ? own.find(({ scope }) => scope === undefined) : undefined)
  )?.url.replace(/\/+$/, "");
  if (base !== undefined) return `${base}/${path.slice(0, 2).join("/")}`;
  if (name.startsWith("golang.org/x/")) return `https://go.googlesource.com/${path[1]}`;
  if (host === "gopkg.in") return `https://${name}`;
  return ["github.com", "gitlab.com", "bitbucket.org"].includes(host) && path.length >= 2
    ? `https://${host}/${path.slice(0, 2).join("/")}`
    : undefined;
}
