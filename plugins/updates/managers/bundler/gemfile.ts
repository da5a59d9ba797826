/** What Gemfiles and gemspecs ask for. They are Ruby; what only running them would tell is not known. */
import {
  type RubyArgument,
  type RubyCall,
  type RubyLiteral,
  rubyCalls,
} from "../../languages/ruby-calls.js";

export interface GemRequest {
  readonly name: string;
  /** Behind the name: where a requirement would stand if there is none. */
  readonly end: number;
  readonly requirements: readonly RubyLiteral[];
  readonly groups: readonly string[];
  /** Of gems of its own source: `source: "https://…"`. */
  readonly source?: string;
  /** In one sentence, why no registry can be asked for it. */
  readonly elsewhere?: string;
}

export interface Gemfile {
  readonly gems: readonly GemRequest[];
  /** The last one without a block; undefined where none is named. */
  readonly source: string | undefined;
  /** `~> 3.1`, by `ruby "~> 3.1"`. */
  readonly ruby: string | undefined;
  /** Directories with gemspecs, as `gemspec` names them: `.`, `engines/a`. */
  readonly gemspecs: readonly string[];
  /** Other files of the same kind: `eval_gemfile "gemfiles/x.rb"`. */
  readonly included: readonly string[];
}

export function readGemfile(text: string): Gemfile {
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
  /** Of `add_development_dependency`: in the group `development`. */
  readonly gems: readonly GemRequest[];
  readonly ruby: string | undefined;
}

const ADDING = /^add_(?:(runtime|development)_)?dependency$/;

export function readGemspec(text: string): Gemspec {
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
