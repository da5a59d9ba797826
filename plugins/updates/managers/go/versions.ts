/** Versions of modules: semver with a `v`, pseudo-versions included. A requirement is a minimum version. */
import semver from "semver";
import type { Versioning } from "../contract.js";

const isVersion = (text: string): boolean => text.startsWith("v") && semver.valid(text) !== null;

export const goVersioning: Versioning = {
  isVersion,
  compare: (a, b) => semver.compare(a, b),
  isPrerelease: (version) => semver.prerelease(version) !== null,
  numbers: (version) => {
    const parsed = semver.parse(version);
    return parsed ? [parsed.major, parsed.minor, parsed.patch] : undefined;
  },
  satisfies: (version, requirement) => {
    const [, sign, bound = ""] = /^(>=|<=|>|<|=)\s*(\S+)$/.exec(requirement) ?? [];
    if (sign === undefined)
      return isVersion(requirement)
        ? semver.gte(version, requirement)
        : semver.satisfies(version, requirement);
    return semver.satisfies(version, `${sign}${bound}`, { includePrerelease: true });
  },
  floor: (requirement) => (isVersion(requirement) ? requirement : undefined),
};
