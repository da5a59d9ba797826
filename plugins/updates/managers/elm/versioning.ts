/** Elm's versions: three numbers, and their meaning is enforced. Packages require ranges, applications exact versions. */
import type { Versioning } from "../contract.js";

type Numbers = readonly [major: number, minor: number, patch: number];

const NUMBER = "(?:0|[1-9]\\d{0,8})";
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})$`);

/** Sorting asks for the same versions again and again. Emptied when it is full. */
const known = new Map<string, Numbers | undefined>();
const MOST = 20_000;

function read(text: string): Numbers | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= MOST) known.clear();
  const [, major, minor, patch] = VERSION.exec(text) ?? [];
  const numbers =
    major === undefined ? undefined : ([Number(major), Number(minor), Number(patch)] as const);
  known.set(text, numbers);
  return numbers;
}

export function compareElm(a: string, b: string): number {
  const [first, second] = [read(a), read(b)];
  if (!first || !second) return a < b ? -1 : a > b ? 1 : 0;
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

interface Range {
  readonly lower: string;
  readonly lowerIn: boolean;
  readonly upper: string;
  readonly upperIn: boolean;
}

/** `1.0.0 <= v < 2.0.0`, with just these blanks: Elm reads nothing else, and nothing that goes down. */
function readRange(requirement: string): Range | undefined {
  const [, lower = "", below, above, upper = ""] =
    /^(\S+) (<=?) v (<=?) (\S+)$/.exec(requirement) ?? [];
  if (!read(lower) || !read(upper) || compareElm(lower, upper) >= 0) return undefined;
  return { lower, lowerIn: below === "<=", upper, upperIn: above === "<=" };
}

export function elmSatisfies(version: string, requirement: string): boolean {
  if (read(requirement)) return compareElm(version, requirement) === 0;
  const range = readRange(requirement);
  if (!range || !read(version)) return false;
  const [low, high] = [compareElm(version, range.lower), compareElm(version, range.upper)];
  return (low > 0 || (low === 0 && range.lowerIn)) && (high < 0 || (high === 0 && range.upperIn));
}

/** A version is a range of one. */
const asRange = (text: string): Range | undefined =>
  read(text) ? { lower: text, lowerIn: true, upper: text, upperIn: true } : readRange(text);

/** Is there anything that both allow? `a` and `b` are versions or ranges; what is neither goes with nothing. */
export function elmMeets(a: string, b: string): boolean {
  const [first, second] = [asRange(a), asRange(b)];
  if (!first || !second) return false;
  const below = (low: Range, high: Range): boolean => {
    const order = compareElm(low.lower, high.upper);
    return order < 0 || (order === 0 && low.lowerIn && high.upperIn);
  };
  return below(first, second) && below(second, first);
}

/** May a project made with `own` use what is for `theirs`? Where one of them does not say, yes. */
export const elmRuns = (own: string | undefined, theirs: string | undefined): boolean =>
  !own || !theirs || elmMeets(own, theirs);

/** The order in which Elm writes packages, and tries them: by author, then by name. */
export function compareElmNames(a: string, b: string): number {
  const [[author = "", name = ""], [other = "", second = ""]] = [a.split("/"), b.split("/")];
  if (author !== other) return author < other ? -1 : 1;
  return name < second ? -1 : name > second ? 1 : 0;
}

export const elmVersioning: Versioning = {
  isVersion: (text) => read(text) !== undefined,
  compare: compareElm,
  isPrerelease: () => false,
  numbers: read,
  satisfies: elmSatisfies,
  floor: (requirement) => (read(requirement) ? requirement : readRange(requirement)?.lower),
};

/** `1.0.0 <= v < 2.0.0` for 2.1.0: from where it was, or from the new version on, up to the next major one. */
export function raisedElm(requirement: string, version: string, keepLower: boolean): string {
  if (read(requirement)) return version;
  const range = readRange(requirement);
  if (!range || elmSatisfies(version, requirement)) return requirement;
  const bound = `${(read(version)?.[0] ?? 0) + 1}.0.0`;
  return `${keepLower ? range.lower : version} <= v < ${bound}`;
}
