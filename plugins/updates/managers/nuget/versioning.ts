/** NuGet's versions and requirements, as all managers have them. */
import type { Versioning } from "../contract.js";
import { intervals } from "../intervals.js";
import { compareNuget, normalizedNuget, readNugetVersion } from "./order.js";
import { isInRange, readRange } from "./range.js";

const ranges = intervals(compareNuget);

export const nugetVersioning: Versioning = {
  isVersion: (text) => readNugetVersion(text) !== undefined,
  compare: compareNuget,
  isPrerelease: (version) => (readNugetVersion(version)?.label ?? "") !== "",
  numbers: (version) => {
    const parsed = readNugetVersion(version);
    return parsed ? [parsed.numbers[0], parsed.numbers[1], parsed.numbers[2]] : undefined;
  },
  /** A bare version is what everybody gets who asks for it, though others may ask for more: it allows itself. */
  satisfies: (version, requirement) => {
    const range = readRange(requirement);
    if (!range) return false;
    return range.bare && !range.floating
      ? compareNuget(version, requirement) === 0
      : isInRange(range, version);
  },
  floor: (requirement) => {
    const range = readRange(requirement);
    if (range?.floating?.text === "*") return undefined;
    return range?.lower;
  },
};

/**
 * `1.2.*` → `3.4.*` for 3.4.5; everything else as intervals go. What cannot be understood stays. NuGet takes the lowest version of an
 * interval: where `fromIt` the interval has to begin with the version for it to be used.
 */
export function raisedNuget(requirement: string, version: string, fromIt = true): string {
  const range = readRange(requirement);
  if (!range) return requirement;
  if (!range.floating) {
    const raised = ranges.raised(requirement, version);
    const isOpen = !range.bare && range.lower !== undefined && range.lowerIn;
    const isOne = range.upper !== undefined && raised.indexOf(",") === -1;
    if (!fromIt || !isOpen || isOne || !nugetVersioning.satisfies(version, raised)) return raised;
    return raised.replace(range.lower ?? "", version);
  }
  if (!range.bare || nugetVersioning.satisfies(version, requirement)) return requirement;
  const [, numbers = "", end = ""] =
    /^\s*(\d[\d.]*?)((?:\.\*)?(?:-[^*]*\*)?)\s*$/.exec(requirement) ?? [];
  const parts = normalizedNuget(version).split(/[.-]/).slice(0, numbers.split(".").length);
  const raised = parts.join(".") + end;
  return nugetVersioning.satisfies(version, raised) ? raised : requirement;
}
