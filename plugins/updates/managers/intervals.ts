/** Requirements of Maven and NuGet: one version (`1.2`), or intervals in brackets (`[1.2]`, `[1,2),[3,)`). */

export interface Interval {
  readonly lower?: string;
  readonly lowerIn: boolean;
  readonly upper?: string;
  readonly upperIn: boolean;
}

const isRange = (requirement: string): boolean => /^\s*[[(]/.test(requirement);

/** Undefined for text that is no list of intervals. */
function readIntervals(requirement: string): readonly Interval[] | undefined {
  const result: Interval[] = [];
  let rest = requirement.trim();
  while (rest !== "") {
    const match = /^([[(])\s*([^,[\]()]*?)\s*(?:(,)\s*([^,[\]()]*?)\s*)?([\])])\s*(?:,\s*)?/.exec(
      rest,
    );
    if (!match) return undefined;
    const [whole, open, lower = "", comma, upper = "", close] = match;
    if (comma === undefined && (lower === "" || open !== "[" || close !== "]")) return undefined;
    const top = comma === undefined ? lower : upper;
    result.push({
      lowerIn: open === "[",
      upperIn: close === "]",
      ...(lower === "" ? {} : { lower }),
      ...(top === "" ? {} : { upper: top }),
    });
    rest = rest.slice(whole.length);
  }
  return result.length === 0 ? undefined : result;
}

export type CompareVersions = (a: string, b: string) => number;

/** Is `version` between the bounds? */
export function isWithin(
  { lower, lowerIn, upper, upperIn }: Interval,
  version: string,
  compare: CompareVersions,
): boolean {
  const above = lower === undefined ? 1 : compare(version, lower);
  const below = upper === undefined ? -1 : compare(version, upper);
  return (above > 0 || (above === 0 && lowerIn)) && (below < 0 || (below === 0 && upperIn));
}

export interface IntervalRequirements {
  /** A single version allows only itself. */
  satisfies(version: string, requirement: string): boolean;
  /** The lowest bound; undefined where there is none. */
  floor(requirement: string): string | undefined;
  /**
   * `requirement` changed to allow `version`, in the same form: `[1.2]` → `[1.3]`, `[1,2)` → `[1,4)` for 3.1. A requirement that
   * allows it already, or is not understood, stays as it is.
   */
  raised(requirement: string, version: string): string;
}

export function intervals(compare: CompareVersions): IntervalRequirements {
  const satisfies = (version: string, requirement: string): boolean =>
    isRange(requirement)
      ? (readIntervals(requirement)?.some((interval) => isWithin(interval, version, compare)) ??
        false)
      : compare(version, requirement.trim()) === 0;
  return {
    satisfies,
    floor: (requirement) =>
      isRange(requirement)
        ? readIntervals(requirement)
            ?.map(({ lower }) => lower)
            .filter((version) => version !== undefined)
            .toSorted(compare)[0]
        : requirement.trim() || undefined,
    raised: (requirement, version) => {
      if (!isRange(requirement)) return version;
      const last = readIntervals(requirement)?.at(-1);
      if (last?.upper === undefined || satisfies(version, requirement)) return requirement;
      const bound = last.upperIn ? version : boundAbove(version, last.upper);
      const end = requirement.lastIndexOf(last.upper);
      const written =
        requirement.slice(0, end) + bound + requirement.slice(end + last.upper.length);
      return satisfies(version, written) ? written : requirement;
    },
  };
}

/** The next bound above `version` with as many numbers as `bound`: for 3.1, `2` becomes `4` and `2.0` becomes `4.0`. */
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
