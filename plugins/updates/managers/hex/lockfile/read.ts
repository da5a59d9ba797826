/** The entries of a mix.lock, which is read and never run. */
import { UpdatesError } from "../../../errors.js";
import { type ElixirTerm, elixirTerms } from "../../../languages/elixir-terms.js";
import { optionsIn } from "../manifest/mix.js";

export interface HexNeed {
  readonly app: string;
  readonly name: string;
  readonly requirement: string;
  readonly optional: boolean;
  readonly repo: string;
}

/** One entry of a lock, from any source. */
export interface MixEntry {
  readonly app: string;
  /** The start of the quoted name. */
  readonly start: number;
  /** The range of the tuple. */
  readonly range: { readonly start: number; readonly end: number };
}

export interface LockedHex extends MixEntry {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the contents, in hexadecimal; undefined in old locks. */
  readonly inner: string | undefined;
  /** Undefined in old locks. */
  readonly needs: readonly HexNeed[] | undefined;
  readonly repo: string;
}

/** All entries; `locked` has the details of those from Hex. @throws UpdatesError `manifest_unreadable` for conflicts of a merge */
export function readMixLock(
  file: string,
  text: string,
): { readonly entries: readonly MixEntry[]; readonly locked: readonly LockedHex[] } {
  if (/^(<{7}|>{7})/m.test(text))
    throw new UpdatesError("manifest_unreadable", `${file} has conflicts of a merge in it.`);
  const [map] = elixirTerms(text);
  const pairs = (map?.kind === "list" ? map.items : []).filter((item) => item.kind === "pair");
  const entries = pairs.map(
    ({ key, value, range }): MixEntry => ({ app: key, start: range.start, range: value.range }),
  );
  const locked = pairs.flatMap(({ key, value, range }): readonly LockedHex[] => {
    if (value.kind !== "tuple") return [];
    const [scm, name, version, inner, , needs, repo] = value.items;
    if (scm?.kind !== "atom" || scm.value !== "hex") return [];
    if (name?.kind !== "atom" || version?.kind !== "text") return [];
    return [
      {
        ...{ app: key, start: range.start, range: value.range },
        name: name.value,
        version: version.value,
        inner: inner?.kind === "text" ? inner.value : undefined,
        needs: needs?.kind === "list" ? needs.items.flatMap(needOf) : undefined,
        repo: repo?.kind === "text" ? repo.value : "hexpm",
      },
    ];
  });
  return { entries, locked };
}

function needOf(term: ElixirTerm): readonly HexNeed[] {
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
