/** Finds versions in any text by regular expressions with named groups. */
import { RE2JS } from "re2js";
import type { TextRange } from "../../text/text.js";
import type { FilePattern } from "../contract.js";
import { groupName } from "./groups.js";

export interface PatternMatch {
  readonly version: string;
  readonly range: TextRange;
  readonly source: string | undefined;
  readonly name: string | undefined;
  readonly digest: string | undefined;
}

interface FoundGroup {
  readonly text: string;
  readonly range: TextRange;
}

/** A part of the text, with the groups that were found on the way to it. */
interface FoundText {
  readonly text: string;
  readonly start: number;
  readonly groups: ReadonlyMap<string, FoundGroup>;
}

/** Bounds what one file may have. */
const mostMatches = 5_000;

const strategies: Readonly<
  Record<
    FilePattern["strategy"],
    (engines: readonly RE2JS[], whole: FoundText) => readonly FoundText[]
  >
> = {
  any: (engines, whole) => engines.flatMap((engine) => occurrences(engine, whole)),
  recursive: (engines, whole) =>
    engines.reduce<readonly FoundText[]>(
      (outer, engine) => outer.flatMap((text) => occurrences(engine, text)),
      [whole],
    ),
  combination: (engines, whole) => {
    const found = engines.flatMap((engine) => occurrences(engine, whole).slice(0, 1));
    if (found.length < engines.length) return [];
    return [{ ...whole, groups: new Map(found.flatMap(({ groups }) => [...groups])) }];
  },
};

/** In the order of the patterns. */
export function matchesOf(pattern: FilePattern, text: string): readonly PatternMatch[] {
  const engines = pattern.match.map(({ source, flags }) => RE2JS.compile(source, bitsOf(flags)));
  const whole: FoundText = { text, start: 0, groups: new Map() };
  return strategies[pattern.strategy](engines, whole).flatMap(({ groups }) => {
    const version = groups.get("version");
    if (!version || version.text === "") return [];
    const name = groups.get("packageName") ?? groups.get("name");
    return [
      {
        ...{ version: version.text, range: version.range },
        source: groups.get("source")?.text ?? pattern.source,
        name: name?.text ?? pattern.package,
        digest: groups.get("digest")?.text,
      },
    ];
  });
}

function occurrences(engine: RE2JS, { text, start, groups }: FoundText): readonly FoundText[] {
  const found: FoundText[] = [];
  const matcher = engine.matcher(text);
  const names = Object.keys(engine.namedGroups());
  while (found.length < mostMatches && matcher.find()) {
    const inside = names.flatMap((name) => {
      const [from, to] = [matcher.start(name), matcher.end(name)];
      if (from < 0) return [];
      const range = { start: start + from, end: start + to };
      return [[groupName(name), { text: text.slice(from, to), range }] as const];
    });
    found.push({
      text: text.slice(matcher.start(), matcher.end()),
      start: start + matcher.start(),
      groups: new Map([...groups, ...inside]),
    });
  }
  return found;
}

const bits: Readonly<Record<string, number>> = {
  ...{ i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL },
};

const bitsOf = (flags: string): number =>
  [...flags].reduce((sum, flag) => sum | (bits[flag] ?? 0), 0);
