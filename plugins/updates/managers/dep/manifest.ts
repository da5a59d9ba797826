/** Constraints of Gopkg.toml and the projects that Gopkg.lock pins. */
import type { TextRange } from "../../text/text.js";
import { readToml, type TomlNode, tomlAt, tomlItems, tomlText } from "../../text/toml.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { configuredUrl } from "../origin.js";
import { existing, within } from "../paths.js";
import { depVersioning } from "./versions.js";

interface VersionText {
  readonly text: string;
  readonly range: TextRange;
}

interface Constraint {
  readonly name: string;
  readonly section: "constraint" | "override";
  /** Undefined for a branch or a revision, and for a version that cannot be replaced in place. */
  readonly version: VersionText | undefined;
  /** What the project follows instead of versions: `the branch main`. */
  readonly follows: string | undefined;
  /** Where it is fetched from, if not from where its name points. */
  readonly source: string | undefined;
}

interface LockedProject {
  readonly name: string;
  readonly version: VersionText | undefined;
  readonly revision: VersionText | undefined;
  readonly source: string | undefined;
}

export const gopkgLockFile = ({ directory }: ProjectSources): RepositoryPath =>
  within(directory, "Gopkg.lock");

export function depWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const own = existing(sources, [within(sources.directory, "Gopkg.toml")]);
  return own.length === 0 ? [] : [...own, ...existing(sources, [gopkgLockFile(sources)])];
}

export function depParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const read = <Entry>(
    file: RepositoryPath,
    reader: (file: string, text: string) => readonly Entry[],
  ): readonly Entry[] => {
    const text = sources.files.get(file);
    return (text !== undefined && readOrReport(file, broken, () => reader(file, text))) || [];
  };
  const file = within(sources.directory, "Gopkg.toml");
  const lock = gopkgLockFile(sources);
  const groups = Map.groupBy(read(file, readGopkg), ({ name }) => name);
  const locked = new Map(read(lock, readGopkgLock).map((project) => [project.name, project]));
  const dependencies = [...new Set([...groups.keys(), ...locked.keys()])].map(
    (name): Dependency => {
      const constraints = groups.get(name) ?? [];
      const project = locked.get(name);
      const version = project?.version?.text;
      const current =
        version !== undefined && depVersioning.isVersion(version) ? version : undefined;
      const declarations = constraints.flatMap((constraint) => declarationsOf(file, constraint));
      const reason = unknownVersionReason(name, constraints, declarations, current);
      const source = constraints.find((each) => each.source !== undefined)?.source;
      return {
        ...{ id: name, name, declarations, development: false, current },
        origin:
          reason === undefined
            ? originOf(name, source ?? project?.source ?? repositoryOf(name, settings))
            : { kind: "none", why: reason },
        ...(current === undefined ? {} : { lockedBy: lock }),
      };
    },
  );
  return { dependencies, runtime: {}, broken };
}

const declarationsOf = (
  file: RepositoryPath,
  { version, section }: Constraint,
): readonly Declaration[] =>
  version === undefined || depVersioning.floor(version.text) === undefined
    ? []
    : [{ file, range: version.range, requirement: version.text, section, development: false }];

function unknownVersionReason(
  name: string,
  constraints: readonly Constraint[],
  declarations: readonly Declaration[],
  current: string | undefined,
): string | undefined {
  const follows = constraints.find((each) => each.follows !== undefined)?.follows;
  if (follows !== undefined) return `${name} follows ${follows}.`;
  return declarations.length === 0 && current === undefined
    ? `No manifest or lock file names a version of ${name}.`
    : undefined;
}

const originOf = (name: string, url: string | undefined): DependencyOrigin =>
  url !== undefined && /^(https?|file):\/\//.test(url)
    ? { kind: "git", url }
    : { kind: "none", why: `The repository of ${name} is unknown.` };

/** The repository of a package path; undefined where only a request by Go could find it. */
function repositoryOf(name: string, settings: ManagerSettings): string | undefined {
  const [host = "", ...path] = name.split("/");
  const base = configuredUrl(
    settings,
    "dep",
    (scope) => scope === host || (host === "github.com" && scope === undefined),
  );
  if (base !== undefined) return `${base}/${path.slice(0, 2).join("/")}`;
  if (name.startsWith("golang.org/x/")) return `https://go.googlesource.com/${path[1]}`;
  if (host === "gopkg.in") return `https://${name}`;
  return ["github.com", "gitlab.com", "bitbucket.org"].includes(host) && path.length >= 2
    ? `https://${host}/${path.slice(0, 2).join("/")}`
    : undefined;
}

const versionText = (node: TomlNode | undefined): VersionText | undefined =>
  node?.kind === "text" && node.range ? { text: node.value, range: node.range } : undefined;

/** @throws UpdatesError `manifest_unreadable` */
function readGopkg(file: string, text: string): readonly Constraint[] {
  const root = readToml(file, text);
  return (["constraint", "override"] as const).flatMap((section) =>
    tomlItems(root, section).flatMap((node): readonly Constraint[] => {
      const name = tomlText(node, "name");
      if (name === undefined) return [];
      const [branch, revision] = [tomlText(node, "branch"), tomlText(node, "revision")];
      return [
        {
          ...{ name, section, source: tomlText(node, "source") },
          version: versionText(tomlAt(node, "version")),
          follows:
            branch === undefined
              ? revision && `the revision ${revision.slice(0, 7)}`
              : `the branch ${branch}`,
        },
      ];
    }),
  );
}

/** @throws UpdatesError `manifest_unreadable` */
export const readGopkgLock = (file: string, text: string): readonly LockedProject[] =>
  tomlItems(readToml(file, text), "projects").flatMap((node): readonly LockedProject[] => {
    const name = tomlText(node, "name");
    if (name === undefined) return [];
    return [
      {
        ...{ name, source: tomlText(node, "source") },
        version: versionText(tomlAt(node, "version")),
        revision: versionText(tomlAt(node, "revision")),
      },
    ];
  });
