/** Tags with a version: `v3`, `20.5-alpine3.18`, `release-1.2`. Comparable if the text around the numbers is the same. */
import type { Versioning } from "../managers/contract.js";

export interface Tag {
  /** The text before the numbers, `v` included. */
  readonly prefix: string;
  readonly numbers: readonly number[];
  /** The text after the numbers: a flavor or a prerelease. */
  readonly suffix: string;
}

const TAG = /^((?:[a-z][a-z0-9._]*[-_/])?v?)(\d+(?:[._]\d+)*)((?:[-_.+]?[a-z].*|[-_+].+)?)$/i;
const PRERELEASE =
  /^[-_.]?(alpha|beta|a|b|rc|pre|preview|dev|snapshot|canary|nightly|edge|m|ea)(?![a-z])/i;

/** `undefined` for a tag without a version. */
export function readTag(text: string): Tag | undefined {
  const [, prefix = "", numbers, suffix = ""] = TAG.exec(text) ?? [];
  if (numbers === undefined) return undefined;
  return { prefix, numbers: numbers.split(/[._]/).map(Number), suffix };
}

export const tagVersioning: Versioning = {
  isVersion: (text) => readTag(text) !== undefined,
  compare: compareTags,
  isPrerelease: (version) => PRERELEASE.test(readTag(version)?.suffix ?? ""),
  numbers: (version) => {
    const tag = readTag(version);
    if (!tag || tag.numbers.length > 3 || isDate(tag)) return undefined;
    const [major = 0, minor = 0, patch = 0] = tag.numbers;
    return [major, minor, patch];
  },
  satisfies: (version, requirement) => version === requirement,
  floor: (requirement) => (readTag(requirement) ? requirement : undefined),
};

/** By numbers, missing ones as 0; a prerelease before its release; prereleases by name and number. */
function compareTags(a: string, b: string): number {
  const first = readTag(a);
  const second = readTag(b);
  if (!first || !second) return 0;
  for (let index = 0; index < Math.max(first.numbers.length, second.numbers.length); index += 1) {
    const difference = (first.numbers[index] ?? 0) - (second.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  const [early, late] = [PRERELEASE.test(first.suffix), PRERELEASE.test(second.suffix)];
  if (early !== late) return early ? -1 : 1;
  return early ? first.suffix.localeCompare(second.suffix, "en", { numeric: true }) : 0;
}

/** `20240115` is a date, not newer than `24`. */
const isDate = ({ numbers }: Tag): boolean => (numbers[0] ?? 0) >= 1_000_000;

/** The same text around equally many numbers. */
export function sameKind(a: Tag, b: Tag): boolean {
  return sameWords(a, b) && a.numbers.length === b.numbers.length;
}

/** `sameKind` for texts; false where one of them is not a tag. */
export function isSameKind(a: string, b: string): boolean {
  const [first, second] = [readTag(a), readTag(b)];
  return first !== undefined && second !== undefined && sameKind(first, second);
}

/** The same text around any number of numbers. Prereleases of one name are of one kind: `-rc1`, `-rc2`. */
export function sameWords(a: Tag, b: Tag): boolean {
  return a.prefix === b.prefix && flavour(a) === flavour(b) && isDate(a) === isDate(b);
}

const flavour = ({ suffix }: Tag): string => (PRERELEASE.test(suffix) ? "" : suffix);
