/** Requirements of Maven and NuGet: one version (`1.2`), or intervals in brackets (`[1.2]`, `[1,2),[3,)`). */

interface Range {
  readonly lower?: string;
  readonly lowerIn: boolean;
  readonly upper?: string;
  readonly upperIn: boolean;
}

const isRange = (requirement: string): boolean => /^\s*[[(]/.test(requirement);

/** Undefined for what is no list of ranges. */
function readRanges(requirement: string): readonly Range[] | undefined {
  const ranges: Range[] = [];
  let rest = requirement.trim();
  while (rest !== "") {
    const match = /^([[(])\s*([^,[\]()]*?)\s*(?:(,)\s*([^,[\]()]*?)\s*)?([\])])\s*(?:,\s*)?/.exec(
      rest,
    );
    if (!match) return undefined;
    const [whole, open, lower = "", comma, upper = "", close] = match;
    if (comma === undefined && (lower === "" || open !== "[" || close !== "]")) return undefined;
    const top = comma === undefined ? lower : upper;
    ranges.push({
      lowerIn: open === "[",
      upperIn: close === "]",
      ...(lower === "" ? {} : { lower }),
      ...(top === "" ? {} : { upper: top }),
    });
    rest = rest.slice(whole.length);
  }
  return ranges.length === 0 ? undefined : ranges;
}

function allows(range: Range, version: string, compare: Compare): boolean {
  if (range.lower !== undefined) {
    const order = compare(version, range.lower);
    if (order < 0 || (order === 0 && !range.lowerIn)) return false;
  }
  if (range.upper === undefined) return true;
  const order = compare(version, range.upper);
  return order < 0 || (order === 0 && range.upperIn);
}

export type Compare = (a: string, b: string) => number;

export interface Intervals {
  /** A single version allows itself: it is what everybody gets, unless something nearer says another. */
  satisfies(version: string, requirement: string): boolean;
  /** The lowest version; undefined where there is none. */
  floor(requirement: string): string | undefined;
  /**
   * `requirement` so that it allows `version`, written alike: `[1.2]` → `[1.3]`, `[1,2)` → `[1,4)` for 3.1. What already allows it
   * stays, and so does what cannot be understood.
   */
  raised(requirement: string, version: string): string;
}

export function intervals(compare: Compare): Intervals {
  const satisfies = (version: string, requirement: string): boolean =>
    isRange(requirement)
      ? (readRanges(requirement)?.some((range) => allows(range, version, compare)) ?? false)
      : compare(version, requirement.trim()) === 0;
  return {
    satisfies,
    floor: (requirement) =>
      isRange(requirement)
        ? readRanges(requirement)
            ?.map(({ lower }) => lower)
            .filter((version) => version !== undefined)
            .toSorted(compare)[0]
        : requirement.trim() || undefined,
    raised: (requirement, version) => {
      if (!isRange(requirement)) return version;
      const last = readRanges(requirement)?.at(-1);
      if (last?.upper === undefined || satisfies(version, requirement)) return requirement;
      const bound = last.upperIn ? version : boundAbove(version, last.upper);
      const end = requirement.lastIndexOf(last.upper);
      const written =
        requirement.slice(0, end) + bound + requirement.slice(end + last.upper.length);
      return satisfies(version, written) ? written : requirement;
    },
  };
}

/** The next bound beyond `version` that has as many numbers as `bound`: 3.1 beyond `2` is `4`, beyond `2.0` too, `4.0`. */
export function boundAbove(version: string, bound: string): string {
  const old = bound.split(".");
  const numbers = version.split(/[.-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
  let significant = 0;
  for (const [index, part] of old.entries()) if (/[1-9]/.test(part)) significant = index;
  return old
    .map((_part, index) => {
      const number = numbers[index] ?? 0;
      if (index < significant) return number;
      return index === significant ? number + 1 : 0;
    })
    .join(".");
}
