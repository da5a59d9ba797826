/** The files of patterns, and the dependencies in them. */
import { matchesGlob, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import { readTag } from "../../versions/tag.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Declaration,
  Dependency,
  FilePattern,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { filePaths, insideOf } from "../paths.js";
import { matchesOf, type PatternMatch } from "./matches.js";
import { type SourcedDependency, sourcedDependency } from "./sources.js";

/** The literal end of a glob, which most paths lack: matching it first keeps large repositories fast. */
const tailOf = (glob: string): string => /[^*?[\]{}()!+@|\\/]*$/.exec(glob)?.[0] ?? "";

function isFileOf({ files }: FilePattern, directory: string, path: RepositoryPath): boolean {
  const root = insideOf(directory);
  const inside = root === "" ? path : posix.relative(root, path);
  if (inside.startsWith("../")) return false;
  return files.some((glob) => inside.endsWith(tailOf(glob)) && matchesGlob(inside, glob));
}

export const patternsWanted = (
  sources: ProjectSources,
  { patterns = [] }: Partial<ManagerSettings> = {},
): readonly RepositoryPath[] =>
  patterns.length === 0
    ? []
    : filePaths(sources).filter((path) =>
        patterns.some((pattern) => isFileOf(pattern, sources.directory, path)),
      );

interface FoundVersion extends PatternMatch {
  readonly file: RepositoryPath;
  /** Of the block. */
  readonly pattern: string;
}

export function patternsParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const found = patternsWanted(sources, settings).flatMap((file) => {
    const text = sources.files.get(file);
    if (text === undefined) return [];
    return readOrReport(file, broken, () => versionsIn(sources, file, settings)) ?? [];
  });
  const groups = new Map<string, { sourced: SourcedDependency; versions: FoundVersion[] }>();
  for (const version of found) {
    const { source = "", name = "" } = version;
    const sourced = sourcedDependency(source, name, version.version, settings);
    const id = `${source} ${sourced.name} ${version.version}`.trim();
    const group = groups.get(id) ?? { sourced, versions: [] };
    groups.set(id, group);
    group.versions.push(version);
  }
  return {
    dependencies: [...groups].map(([id, { sourced, versions }]) => ({
      ...{ id, ...sourced },
      origin: originOf(sourced, versions),
      declarations: versions.map(declarationOf),
      development: false,
      current: versions[0]?.version,
    })),
    runtime: {},
    broken,
  };
}

function originOf(
  { name, origin }: SourcedDependency,
  versions: readonly FoundVersion[],
): Dependency["origin"] {
  const [first] = versions;
  const none = (why: string) => ({ kind: "none", why }) as const;
  if (versions.some(({ digest }) => digest !== undefined))
    return none(`${name} has a digest, which patterns do not move.`);
  if (first && readTag(first.version) === undefined)
    return none(`${first.version} of ${name} is no version that can be compared.`);
  return origin;
}

const declarationOf = ({ file, range, version, pattern }: FoundVersion): Declaration => ({
  ...{ file, range, requirement: version, section: pattern, development: false },
});

/** @throws UpdatesError `manifest_unreadable` if two matches share a character of a version */
function versionsIn(
  sources: ProjectSources,
  file: RepositoryPath,
  { patterns = [] }: ManagerSettings,
): readonly FoundVersion[] {
  const text = sources.files.get(file) ?? "";
  const found = patterns
    .filter((pattern) => isFileOf(pattern, sources.directory, file))
    .flatMap((pattern) =>
      matchesOf(pattern, text).map((match) => ({ ...match, file, pattern: pattern.name })),
    )
    .toSorted((a, b) => a.range.start - b.range.start);
  for (const [index, next] of found.entries()) {
    const last = found[index - 1];
    if (!last || last.range.end <= next.range.start) continue;
    const line = text.slice(0, next.range.start).split("\n").length;
    throw new UpdatesError(
      "manifest_unreadable",
      `${file}:${line}: the version ${next.version} is found twice, by ${last.pattern} and ${next.pattern}.`,
    );
  }
  return found;
}

/** @throws UpdatesError `does_not_resolve` if a pattern matches another number of versions after the edit */
export function assertSameMatches(
  before: ProjectSources,
  after: ProjectSources,
  settings: ManagerSettings,
): void {
  for (const [file, text] of after.files) {
    if (text === before.files.get(file)) continue;
    const [old, next] = [before, after].map((each) => versionsIn(each, file, settings).length);
    if (old !== next)
      throw new UpdatesError(
        "does_not_resolve",
        `The patterns find ${next} instead of ${old} versions in ${file} after the update.`,
      );
  }
}
