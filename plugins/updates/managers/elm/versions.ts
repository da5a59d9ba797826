/** Versions of Elm: three numbers whose meaning Elm enforces. Packages require ranges, applications exact versions. */
import { compareText } from "../../text/text.js";
import { memoize } from "../../versions/memoize.js";
import type { Versioning } from "../contract.js";
import { type Interval, isWithin } from "../intervals.js";

type Numbers = readonly [major: number, minor: number, patch: number];

const NUMBER = "(?:0|[1-9]\\d{0,8})";
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})$`);

const read = memoize((text): Numbers | undefined => {
  const [, major, minor, patch] = VERSION.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
});

export function compareElm(a: string, b: string): number {
  const [first, second] = [read(a), read(b)];
  if (!first || !second) return compareText(a, b);
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

type ElmRange = Required<Interval>;

/** `1.0.0 <= v < 2.0.0` with exactly these blanks; Elm rejects all else, and a lower bound that is not below the upper one. */
function readRange(requirement: string): ElmRange | undefined {
  const [, lower = "", below, above, upper = ""] =
    /^(\S+) (<=?) v (<=?) (\S+)$/.exec(requirement) ?? [];
  if (!read(lower) || !read(upper) || compareElm(lower, upper) >= 0) return undefined;
  return { lower, lowerIn: below === "<=", upper, upperIn: above === "<=" };
}

export function elmSatisfies(version: string, requirement: string): boolean {
  if (read(requirement)) return compareElm(version, requirement) === 0;
  const range = readRange(requirement);
  return range !== undefined && read(version) !== undefined && isWithin(range, version, compareElm);
}

/** A version is a range with one version in it. */
const asRange = (text: string): ElmRange | undefined =>
  read(text) ? { lower: text, lowerIn: true, upper: text, upperIn: true } : readRange(text);

/** Do two versions or ranges overlap? False for text that is neither. */
export function elmMeets(a: string, b: string): boolean {
  const [first, second] = [asRange(a), asRange(b)];
  if (!first || !second) return false;
  const below = (low: ElmRange, high: ElmRange): boolean => {
    const order = compareElm(low.lower, high.upper);
    return order < 0 || (order === 0 && low.lowerIn && high.upperIn);
  };
  return below(first, second) && below(second, first);
}

/** May a project of Elm `own` use a package for Elm `theirs`? Yes where one of them is not given. */
export const elmRuns = (own: string | undefined, theirs: string | undefined): boolean =>
  !own || !theirs || elmMeets(own, theirs);

/** The order in which Elm writes and tries packages: by author, then by name. */
export function compareElmNames(a: string, b: string): number {
  const [[author = "", name = ""], [other = "", second = ""]] = [a.split("/"), b.split("/")];
  return compareText(author, other) || compareText(name, second);
}

export const elmVersioning: Versioning = {
  isVersion: (text) => read(text) !== undefined,
  compare: compareElm,
  isPrerelease: () => false,
  numbers: read,
  satisfies: elmSatisfies,
  floor: (requirement) => (read(requirement) ? requirement : readRange(requirement)?.lower),
};

/** Raises `1.0.0 <= v < 2.0.0` for 2.1.0: the lower bound stays or becomes the new version; the upper one is the next major version. */
export function raisedElm(requirement: string, version: string, keepLower: boolean): string {
  if (read(requirement)) return version;
  const range = readRange(requirement);
  if (!range || elmSatisfies(version, requirement)) return requirement;
  const bound = `${(read(version)?.[0] ?? 0) + 1}.0.0`;
  return `${keepLower ? range.lower : version} <= v < ${bound}`;
}
