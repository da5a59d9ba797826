/** What a mix.exs asks for, and what a mix.lock has. Both are Elixir; neither is run. */
import { UpdatesError } from "../../errors.js";
import { allTerms, elixirTerms, type Term } from "./elixir-terms.js";

type Text = Extract<Term, { kind: "text" | "atom" }>;

export interface MixRequest {
  /** What the project calls it; in the lock it has this name. */
  readonly app: string;
  /** What the registry calls it. */
  readonly name: string;
  /** Undefined where any version will do. */
  readonly requirement: Text | undefined;
  /** Behind the name. */
  readonly end: number;
  readonly organization: string | undefined;
  readonly development: boolean;
  /** In one sentence, why no registry can be asked for it. */
  readonly elsewhere: string | undefined;
}

export interface MixProject {
  readonly requests: readonly MixRequest[];
  readonly isUmbrella: boolean;
  /** It is published as this: it has a description for the registry. */
  readonly published: string | undefined;
  readonly elixir: string | undefined;
}

const OPTIONS =
  /^(only|git|github|path|in_umbrella|hex|organization|repo|override|optional|runtime|app|env|manager|compile|targets|branch|tag|ref|system_env|sparse|submodules|depth|subdir)$/;

export function readMix(text: string): MixProject {
  const terms = elixirTerms(text);
  const requests: MixRequest[] = [];
  let [isUmbrella, isPackage] = [false, false];
  let app: string | undefined;
  let elixir: string | undefined;
  for (const term of allTerms(terms)) {
    if (term.kind === "tuple") requests.push(...requestOf(term.items));
    if (term.kind !== "pair") continue;
    const { key, value } = term;
    if (key === "apps_path") isUmbrella = true;
    if (key === "package") isPackage = true;
    if (key === "app" && value.kind === "atom") app ??= value.value;
    if (key === "elixir" && value.kind === "text") elixir ??= value.value;
  }
  return { requests, isUmbrella, published: isPackage ? (app ?? "") : undefined, elixir };
}

/** `{:name, "~> 1.0", only: :test}`. */
function requestOf(items: readonly Term[]): readonly MixRequest[] {
  const [first, second, ...rest] = items;
  if (first?.kind !== "atom" || second === undefined) return [];
  const requirement = second.kind === "text" ? second : undefined;
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
    },
  ];
}

/** `repo: "hexpm:acme"` is how the lock and old projects name an organization. */
const repoOf = (repo: string | undefined): string | undefined =>
  /^hexpm:(.+)$/.exec(repo ?? "")?.[1];

function optionsIn(items: readonly Term[]): ReadonlyMap<string, Term> {
  const pairs = items.flatMap((item) => (item.kind === "list" ? item.items : [item]));
  return new Map(pairs.flatMap((pair) => (pair.kind === "pair" ? [[pair.key, pair.value]] : [])));
}

function elsewhere(app: string, options: ReadonlyMap<string, Term>): string | undefined {
  if (options.has("git") || options.has("github")) return `${app} comes from a git repository.`;
  if (options.has("path")) return `${app} comes from a directory.`;
  if (options.has("in_umbrella")) return `${app} is another project of this umbrella.`;
  const repo = options.get("repo");
  if (repo?.kind === "text" && !/^hexpm/.test(repo.value))
    return `${app} comes from ${repo.value}, a registry whose address only the machine knows.`;
  return undefined;
}

function isDevelopment(only: Term | undefined): boolean {
  const environments = (only?.kind === "list" ? only.items : only ? [only] : []).flatMap((term) =>
    term.kind === "atom" ? [term.value] : [],
  );
  return environments.length > 0 && !environments.includes("prod");
}

export interface HexNeed {
  readonly app: string;
  readonly name: string;
  readonly requirement: string;
  readonly optional: boolean;
  readonly repo: string;
}

export interface LockedHex {
  readonly app: string;
  readonly name: string;
  readonly version: string;
  readonly needs: readonly HexNeed[];
  readonly repo: string;
  /** Of the whole tuple. */
  readonly range: { readonly start: number; readonly end: number };
  /** `[:mix]`, as it is written. */
  readonly managers: string;
}

/** @throws UpdatesError `manifest_unreadable` for a file with conflicts of a merge in it */
export function readMixLock(file: string, text: string): readonly LockedHex[] {
  if (/^(<{7}|>{7})/m.test(text))
    throw new UpdatesError("manifest_unreadable", `${file} has conflicts of a merge in it.`);
  const [map] = elixirTerms(text);
  const items = map?.kind === "list" ? map.items : [];
  return items.flatMap((item): readonly LockedHex[] => {
    if (item.kind !== "pair" || item.value.kind !== "tuple") return [];
    const [scm, name, version, , managers, needs, repo] = item.value.items;
    if (scm?.kind !== "atom" || scm.value !== "hex") return [];
    if (name?.kind !== "atom" || version?.kind !== "text") return [];
    return [
      {
        app: item.key,
        name: name.value,
        version: version.value,
        needs: needs?.kind === "list" ? needs.items.flatMap(needOf) : [],
        repo: repo?.kind === "text" ? repo.value : "hexpm",
        range: item.value.range,
        managers: managers ? text.slice(managers.range.start, managers.range.end) : "[:mix]",
      },
    ];
  });
}

function needOf(term: Term): readonly HexNeed[] {
  if (term.kind !== "tuple") return [];
  const [app, requirement, ...rest] = term.items;
  if (app?.kind !== "atom" || requirement?.kind !== "text") return [];
  const options = optionsIn(rest);
  const [hex, repo, optional] = ["hex", "repo", "optional"].map((key) => options.get(key));
  return [
    {
      app: app.value,
      name: hex?.kind === "atom" ? hex.value : app.value,
      requirement: requirement.value,
      optional: optional?.kind === "code" && optional.text === "true",
      repo: repo?.kind === "text" ? repo.value : "hexpm",
    },
  ];
}
