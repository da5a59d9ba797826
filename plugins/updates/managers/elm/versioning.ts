/** Elm's versions: three numbers, and their meaning is enforced. Packages require ranges, applications exact versions. */
import type { Versioning } from "../contract.js";

type Numbers = readonly [major: number, minor: number, patch: number];

function read(text: string): Numbers | undefined {
  const [, major, minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

export function compareElm(a: string, b: string): number {
  const [first, second] = [read(a), read(b)];
  if (!first || !second) return a < b ? -1 : a > b ? 1 : 0;
  return first.map((number, at) => number - (second[at] ?? 0)).find((order) => order !== 0) ?? 0;
}

interface Range {
  readonly lower: string;
  readonly lowerIn: boolean;
  readonly upper: string;
  readonly upperIn: boolean;
}

/** `1.0.0 <= v < 2.0.0` */
function readRange(requirement: string): Range | undefined {
  const [, lower, below, above, upper] =
    /^\s*(\d+\.\d+\.\d+)\s*(<=?)\s*v\s*(<=?)\s*(\d+\.\d+\.\d+)\s*$/.exec(requirement) ?? [];
  if (lower === undefined || upper === undefined) return undefined;
  return { lower, lowerIn: below === "<=", upper, upperIn: above === "<=" };
}

export function elmSatisfies(version: string, requirement: string): boolean {
  if (read(requirement)) return compareElm(version, requirement) === 0;
  const range = readRange(requirement);
  if (!range || !read(version)) return false;
  const [low, high] = [compareElm(version, range.lower), compareElm(version, range.upper)];
  return (low > 0 || (low === 0 && range.lowerIn)) && (high < 0 || (high === 0 && range.upperIn));
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
