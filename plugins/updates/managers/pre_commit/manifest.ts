/** Repositories and packages of `.pre-commit-config.yaml`. */
import { isMap, isSeq, type YAMLMap } from "yaml";
import { UpdatesError } from "../../errors.js";
import { readYaml, scalarText } from "../../text/yaml.js";
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
import { sourcedDependency } from "../patterns/sources.js";
import {
  type FoundReference,
  readReference,
  referenceDependencies,
} from "../references/manifest.js";
import { nameOfRepository } from "../source.js";

const FILES = [".pre-commit-config.yaml", ".pre-commit-config.yml"];

export const preCommitWanted = (sources: ProjectSources): readonly RepositoryPath[] =>
  existing(
    sources,
    FILES.map((name) => within(sources.directory, name)),
  );

export function preCommitParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const references: FoundReference[] = [];
  const packages: Dependency[] = [];
  for (const file of preCommitWanted(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const repositories = readOrReport(file, broken, () => repositoriesIn(file, text)) ?? [];
    for (const each of repositories) {
      const reference = revisionOf(each, file, text);
      if (reference) references.push(reference);
      packages.push(...packagesOf(each, file, text, settings));
    }
  }
  return {
    dependencies: [...referenceDependencies(references), ...merged(packages)],
    runtime: {},
    broken,
  };
}

/** The maps below `repos`, or in the list that the first versions of pre-commit read. @throws UpdatesError `manifest_unreadable` */
function repositoriesIn(file: RepositoryPath, text: string): readonly YAMLMap[] {
  const { contents } = readYaml(file, text);
  const list = isMap(contents) ? contents.get("repos") : contents;
  if (!isSeq(list))
    throw new UpdatesError(
      "manifest_unreadable",
      `${file} has no list of repositories in \`repos\`.`,
    );
  return list.items.filter((item) => isMap(item));
}

/** Undefined for hooks of the repository itself and of pre-commit. */
function revisionOf(each: YAMLMap, file: RepositoryPath, text: string): FoundReference | undefined {
  const url = each.get("repo");
  const revision = scalarText(each.get("rev", true) ?? each.get("sha", true), text);
  if (typeof url !== "string" || url === "local" || url === "meta" || !revision) return undefined;
  const name = nameOfRepository(url);
  const { range } = revision;
  return readReference({ name, origin: originOf(url, name), file, text, range, section: "rev" });
}

function originOf(url: string, name: string): DependencyOrigin {
  return /^(https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:/.test(url)
    ? { kind: "git", url: url.replace(/^git:\/\//, "https://") }
    : { kind: "none", why: `${name} is a local path.` };
}

interface PackageForm {
  readonly language: string;
  readonly source: string;
  /** The name, and the version at the end. */
  readonly form: RegExp;
  /** Other languages write packages in this form too, so that the hook must name its own. */
  readonly ambiguous?: boolean;
}

const FORMS: readonly PackageForm[] = [
  {
    ...{ language: "python", source: "pypi" },
    form: /^(?<name>[A-Za-z0-9][\w.-]*)(?:\[[\w,. -]*\])?==(?<version>[\w.!+-]+)$/,
  },
  {
    ...{ language: "node", source: "npm" },
    form: /^(?<name>(?:@[\w.-]+\/)?[\w.-]+)@(?<version>\d[\w.+-]*)$/,
  },
  {
    ...{ language: "ruby", source: "rubygems", ambiguous: true },
    form: /^(?<name>[\w.-]+):(?<version>\d[\w.-]*)$/,
  },
  {
    ...{ language: "rust", source: "crate", ambiguous: true },
    form: /^(?:cli:)?(?<name>[\w-]+):(?<version>\d[\w.+-]*)$/,
  },
];

function packagesOf(
  each: YAMLMap,
  file: RepositoryPath,
  text: string,
  settings: ManagerSettings,
): readonly Dependency[] {
  const hooks = each.get("hooks");
  if (!isSeq(hooks)) return [];
  return hooks.items.flatMap((hook) => {
    const list = isMap(hook) ? hook.get("additional_dependencies") : undefined;
    if (!isMap(hook) || !isSeq(list)) return [];
    const language = hook.get("language");
    const forms = FORMS.filter((one) =>
      language === undefined ? !one.ambiguous : one.language === language,
    );
    return list.items.flatMap((item) => {
      const written = scalarText(item, text);
      if (!written) return [];
      const { value, range } = written;
      for (const { source, form } of forms) {
        const { name, version: requirement } = form.exec(value)?.groups ?? {};
        if (name === undefined || requirement === undefined) continue;
        const found = sourcedDependency(source, name, requirement, settings);
        const declaration = {
          ...{
            file,
            range: { start: range.end - requirement.length, end: range.end },
            requirement,
          },
          ...{ section: "additional_dependencies", development: false },
        };
        const id = `${source}:${found.name}@${requirement}`;
        return [
          { ...found, id, declarations: [declaration], development: false, current: requirement },
        ];
      }
      return [];
    });
  });
}

/** Packages of several hooks are one dependency in each version. */
const merged = (packages: readonly Dependency[]): readonly Dependency[] =>
  [...Map.groupBy(packages, ({ id }) => id).values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, declarations: group.flatMap((one) => one.declarations) }] : [];
  });
