/** The files of a project with a Gemfile or gemspecs, read. */
import { posix } from "node:path";
import type { ProjectSources, RepositoryPath } from "../contract.js";
import { existing, insideOf, within } from "../paths.js";
import { type Gemfile, readGemfile, readGemspec } from "./gemfile.js";

/** As for Bundler itself, the newer name goes first. */
const GEMFILES = ["gems.rb", "Gemfile"];

export interface GemProject {
  /** Undefined for a gem without a Gemfile. */
  readonly gemfile: RepositoryPath | undefined;
  /** The Gemfile and what it includes. */
  readonly gemfiles: readonly { readonly file: RepositoryPath; readonly read: Gemfile }[];
  readonly gemspecs: readonly {
    readonly file: RepositoryPath;
    readonly read: ReturnType<typeof readGemspec>;
  }[];
  readonly lock: RepositoryPath | undefined;
}

const lockOf = (gemfile: RepositoryPath): RepositoryPath =>
  posix.basename(gemfile) === "gems.rb"
    ? posix.join(posix.dirname(gemfile), "gems.locked")
    : `${gemfile}.lock`;

export function gemWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const project = gemProject(sources);
  const specs = gemspecFiles(sources, project);
  if (project.gemfile === undefined && specs.length === 0) return [];
  const files = [
    ...(project.gemfile === undefined ? [] : [project.gemfile, lockOf(project.gemfile)]),
    ...includedFiles(project),
    ...specs,
    within(sources.directory, ".ruby-version"),
  ];
  return existing(sources, files);
}

export function gemProject(sources: ProjectSources): GemProject {
  const { directory, files } = sources;
  const [gemfile] = GEMFILES.flatMap((name) => existing(sources, [within(directory, name)]));
  const gemfiles: { file: RepositoryPath; read: Gemfile }[] = [];
  const queue = gemfile === undefined ? [] : [gemfile];
  for (const file of queue) {
    const text = files.get(file);
    if (text === undefined) continue;
    const read = readGemfile(text);
    gemfiles.push({ file, read });
    for (const included of includedBy(file, read))
      if (!queue.includes(included)) queue.push(included);
  }
  const project = { gemfile, gemfiles, gemspecs: [], lock: undefined };
  const [lock] = gemfile === undefined ? [] : existing(sources, [lockOf(gemfile)]);
  return {
    ...project,
    lock,
    gemspecs: gemspecFiles(sources, project).flatMap((file) => {
      const text = files.get(file);
      return text === undefined ? [] : [{ file, read: readGemspec(text) }];
    }),
  };
}

const includedBy = (file: RepositoryPath, { included }: Gemfile): readonly RepositoryPath[] =>
  included
    .map((path) => posix.join(posix.dirname(file), path))
    .filter((path) => !path.startsWith(".."));

const includedFiles = ({ gemfiles }: GemProject): readonly RepositoryPath[] =>
  gemfiles.flatMap(({ file, read }) => includedBy(file, read));

/** Those of the directory, and of the others that the Gemfile names. */
function gemspecFiles({ directory, tree }: ProjectSources, { gemfiles }: GemProject) {
  const folders = new Set([
    insideOf(directory),
    ...gemfiles.flatMap(({ file, read }) =>
      read.gemspecs.map((folder) => insideOf(posix.join("/", posix.dirname(file), folder))),
    ),
  ]);
  return tree
    .filter(
      ({ path, kind }) =>
        kind === "file" && path.endsWith(".gemspec") && folders.has(insideOf(posix.dirname(path))),
    )
    .map(({ path }) => path);
}
