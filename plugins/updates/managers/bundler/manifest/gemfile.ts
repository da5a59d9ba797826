/** Reads requirements of Gemfiles and gemspecs. They are Ruby and never run, so computed values are unknown. */

import { posix } from "node:path";
import {
  type RubyArgument,
  type RubyCall,
  type RubyLiteral,
  rubyCalls,
} from "../../../languages/ruby-calls.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { existing, insideOf, within } from "../../paths.js";

export interface GemRequest {
  readonly name: string;
  /** The end of the name, where a missing requirement goes. */
  readonly end: number;
  readonly requirements: readonly RubyLiteral[];
  readonly groups: readonly string[];
  /** The gem's own source: `source: "https://…"`. */
  readonly source?: string;
  /** Why no registry has it, one sentence. */
  readonly elsewhere?: string;
}

interface Gemfile {
  readonly gems: readonly GemRequest[];
  /** The last source without a block; undefined where there is none. */
  readonly source: string | undefined;
  /** `~> 3.1`, by `ruby "~> 3.1"`. */
  readonly ruby: string | undefined;
  /** Directories with gemspecs, as `gemspec` names them: `.`, `engines/a`. */
  readonly gemspecs: readonly string[];
  /** Included files: `eval_gemfile "gemfiles/x.rb"`. */
  readonly included: readonly string[];
}

function readGemfile(text: string): Gemfile {
  const gems: GemRequest[] = [];
  const gemspecs: string[] = [];
  const included: string[] = [];
  let source: string | undefined;
  let ruby: string | undefined;
  for (const call of rubyCalls(text)) {
    const [first] = call.args;
    const value = only(first);
    if (call.name === "gem") gems.push(...gemOf(call));
    if (call.name === "source" && value !== undefined && !call.opens) source = value;
    if (call.name === "ruby") ruby = call.args.flatMap(texts).join(", ") || undefined;
    if (call.name === "gemspec") gemspecs.push(only(call.options.get("path")) ?? ".");
    if (call.name === "eval_gemfile" && value !== undefined) included.push(value);
  }
  return { gems, source, ruby, gemspecs, included };
}

const texts = (argument: RubyArgument): readonly string[] =>
  argument.literals.map(({ text }) => text);

const only = (argument: RubyArgument | undefined): string | undefined =>
  argument?.computed === false && argument.literals.length === 1
    ? argument.literals[0]?.text
    : undefined;

function gemOf(call: RubyCall): readonly GemRequest[] {
  const [first, ...rest] = call.args;
  const [name] = first?.literals ?? [];
  if (!name || first?.computed || first?.literals.length !== 1) return [];
  const { options, blocks } = call;
  const groups = [
    ...blocks.filter((block) => block.name === "group").flatMap(({ args }) => args.flatMap(texts)),
    ...["group", "groups"].flatMap((key) => texts(options.get(key) ?? NOTHING)),
  ];
  const source =
    only(options.get("source")) ??
    only(blocks.findLast((block) => block.name === "source")?.args[0]);
  const why = elsewhere(name.text, call);
  return [
    {
      name: name.text,
      end: name.range.end + 1,
      requirements: rest.flatMap(({ literals }) => literals),
      groups,
      ...(source === undefined ? {} : { source }),
      ...(why === undefined ? {} : { elsewhere: why }),
    },
  ];
}

const NOTHING: RubyArgument = { literals: [], computed: false };
const GIT = ["git", "github", "gist", "bitbucket", "gitlab"];
const KNOWN =
  /^(require|groups?|platforms?|source|install_if|force_ruby_platform|glob|submodules|if)$/;

function elsewhere(name: string, { args, options, blocks }: RubyCall): string | undefined {
  const named = [...options.keys(), ...blocks.map((block) => block.name)];
  if (named.some((key) => GIT.includes(key))) return `${name} comes from a git repository.`;
  if (named.includes("path")) return `${name} comes from a directory.`;
  const own = [...options.keys()].find((key) => !KNOWN.test(key));
  if (own !== undefined) return `${name} comes from where the Gemfile's own \`${own}\` says.`;
  if (args.slice(1).some(({ computed }) => computed))
    return `Which ${name} is wanted is worked out by the Gemfile, which is not run.`;
  return undefined;
}

interface Gemspec {
  readonly name: string | undefined;
  /** From `add_development_dependency`: in the group `development`. */
  readonly gems: readonly GemRequest[];
  readonly ruby: string | undefined;
}

const ADDING = /^add_(?:(runtime|development)_)?dependency$/;

function readGemspec(text: string): Gemspec {
  const gems: GemRequest[] = [];
  let name: string | undefined;
  let ruby: string | undefined;
  for (const call of rubyCalls(text)) {
    const [, kind = "runtime"] = ADDING.exec(call.name) ?? [];
    if (ADDING.test(call.name))
      gems.push(
        ...gemOf({ ...call, options: new Map(), blocks: [] }).map((gem) => ({
          ...gem,
          groups: kind === "development" ? ["development"] : [],
        })),
      );
    if (call.name === "name=") name = only(call.args[0]) ?? name;
    if (call.name === "required_ruby_version=")
      ruby = call.args.flatMap(texts).join(", ") || undefined;
  }
  return { name, gems, ruby };
}

/** Like Bundler, prefers the newer name. */
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

/** Gemspecs of the directory and of those the Gemfile names. */
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
