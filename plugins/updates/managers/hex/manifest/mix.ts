/** The requirements of a mix.exs, which is read and never run. */

import { allTerms, type ElixirTerm, elixirTerms } from "../../../languages/elixir-terms.js";
import { memoize } from "../../../versions/memoize.js";

type Text = Extract<ElixirTerm, { kind: "text" | "atom" }>;

export interface MixRequest {
  /** The app's name in the project and in the lock. */
  readonly app: string;
  /** Its name in the registry. */
  readonly name: string;
  /** Undefined for any version. */
  readonly requirement: Text | undefined;
  /** The end of the name. */
  readonly end: number;
  readonly organization: string | undefined;
  readonly development: boolean;
  /** Why no registry has it, one sentence. */
  readonly elsewhere: string | undefined;
  /** Overrides requirements of packages. */
  readonly override: boolean;
  /** Its directory relative to this project, for a path dependency. */
  readonly directory: string | undefined;
  /** Its requirements are known to git only; undefined where it is not compiled and so needs nothing. */
  readonly isForeign: boolean;
  /** The module attribute with the requirement. */
  readonly attribute: string | undefined;
}

export interface MixProject {
  readonly requests: readonly MixRequest[];
  /** The directory of an umbrella's projects. */
  readonly apps: string | undefined;
  readonly lockfile: string | undefined;
  /** The published name; set where the project has a package description. */
  readonly published: string | undefined;
  readonly elixir: string | undefined;
}

const OPTIONS =
  /^(only|git|github|path|in_umbrella|hex|organization|repo|override|optional|runtime|app|env|manager|compile|targets|branch|tag|ref|system_env|sparse|submodules|depth|subdir)$/;

/** Functions and options whose tuples are not dependencies. */
const ABOUT_OTHERS =
  /^(aliases|application|cli|description|dialyzer|docs|escript|releases|test_coverage)$/;

/** Caches the last few files. */
export const readMix = memoize(projectIn, 32);

function projectIn(text: string): MixProject {
  const terms = elixirTerms(text);
  const attributes = attributesIn(text);
  const requests: MixRequest[] = [];
  const texts = new Map<string, string>();
  let isPackage = false;
  let app: string | undefined;
  const functions = [...text.matchAll(/^[ \t]*defp?[ \t]+(\w+)/gm)];
  const speaking = terms.filter(({ range }) => {
    const inside = functions.findLast(({ index }) => index < range.start)?.[1] ?? "";
    return !ABOUT_OTHERS.test(inside);
  });
  for (const term of allTerms(speaking, ABOUT_OTHERS)) {
    if (term.kind === "tuple") requests.push(...requestOf(term.items, attributes));
    if (term.kind !== "pair") continue;
    const { key, value } = term;
    if (key === "package") isPackage = true;
    if (key === "app" && value.kind === "atom") app ??= value.value;
    if (value.kind === "text" && !texts.has(key)) texts.set(key, value.value);
  }
  return {
    requests,
    apps: texts.get("apps_path"),
    lockfile: texts.get("lockfile"),
    published: isPackage ? (app ?? "") : undefined,
    elixir: texts.get("elixir"),
  };
}

/** Module attributes with one text value: `@phoenix "~> 1.7"`. */
function attributesIn(text: string): ReadonlyMap<string, Text> {
  const found = Map.groupBy(
    text.matchAll(/^[ \t]*@(\w+)[ \t]+"([^"\\#\n]*)"[ \t]*(?:#.*)?$/gm),
    ([, name = ""]) => name,
  );
  return new Map(
    [...found].flatMap(([name, matches]) => {
      const [match] = matches;
      const value = match?.[2];
      if (matches.length > 1 || !match || value === undefined) return [];
      const start = match.index + match[0].indexOf('"') + 1;
      const range = { start, end: start + value.length };
      return [[name, { kind: "text", value, range }]];
    }),
  );
}

/** `{:name, "~> 1.0", only: :test}`. */
function requestOf(
  items: readonly ElixirTerm[],
  attributes: ReadonlyMap<string, Text>,
): readonly MixRequest[] {
  const [first, second, ...rest] = items;
  if (first?.kind !== "atom" || second === undefined) return [];
  const [, attribute] = (second.kind === "code" && /^@ (\w+)$/.exec(second.text)) || [];
  const requirement =
    second.kind === "text"
      ? second
      : attribute === undefined
        ? undefined
        : attributes.get(attribute);
  const options = optionsIn(requirement ? rest : [second, ...rest]);
  const known = [...options.keys()].filter((key) => OPTIONS.test(key));
  if (known.length < options.size || (!requirement && known.length === 0)) return [];
  if (requirement && !/^\s*(v?\d|[~><=!]|$)/.test(requirement.value)) return [];
  const { value: app } = first;
  const text = (key: string): string | undefined => {
    const option = options.get(key);
    return option?.kind === "text" || option?.kind === "atom" ? option.value : undefined;
  };
  const name = text("hex") ?? app;
  const why = elsewhere(app, options);
  return [
    {
      app,
      name,
      requirement,
      end: first.range.end,
      organization: text("organization") ?? repoOf(text("repo")),
      development: isDevelopment(options.get("only")),
      elsewhere: why,
      override: isWord(options.get("override"), "true"),
      directory: text("path") ?? (options.has("in_umbrella") ? `../${app}` : undefined),
      isForeign:
        (options.has("git") || options.has("github")) &&
        !["app", "compile"].some((key) => isWord(options.get(key), "false")),
      attribute,
    },
  ];
}

const isWord = (term: ElixirTerm | undefined, word: string): boolean =>
  term?.kind === "code" && term.text === word;

/** The organization in `repo: "hexpm:acme"`, the form of the lock and of old projects. */
const repoOf = (repo: string | undefined): string | undefined =>
  /^hexpm:(.+)$/.exec(repo ?? "")?.[1];

export function optionsIn(items: readonly ElixirTerm[]): ReadonlyMap<string, ElixirTerm> {
  const pairs = items.flatMap((item) => (item.kind === "list" ? item.items : [item]));
  return new Map(pairs.flatMap((pair) => (pair.kind === "pair" ? [[pair.key, pair.value]] : [])));
}

function elsewhere(app: string, options: ReadonlyMap<string, ElixirTerm>): string | undefined {
  if (options.has("git") || options.has("github")) return `${app} comes from a git repository.`;
  if (options.has("path")) return `${app} comes from a directory.`;
  if (options.has("in_umbrella")) return `${app} is another project of this umbrella.`;
  const repo = options.get("repo");
  if (repo?.kind === "text" && !/^hexpm/.test(repo.value))
    return `${app} comes from ${repo.value}, a registry whose address only the machine knows.`;
  return undefined;
}

function isDevelopment(only: ElixirTerm | undefined): boolean {
  const environments = (only?.kind === "list" ? only.items : only ? [only] : []).flatMap((term) =>
    term.kind === "atom" ? [term.value] : [],
  );
  return environments.length > 0 && !environments.includes("prod");
}
