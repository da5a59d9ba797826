/** Versions and ranges as npm reads them. */
import semver from "semver";
import type { Versioning } from "../managers/contract.js";

export const semverVersioning: Versioning = {
  isVersion: (text) => semver.valid(text) !== null,
  compare: (a, b) => semver.compareBuild(a, b),
  isPrerelease: (version) => semver.prerelease(version) !== null,
  numbers: (version) => {
    const parsed = semver.parse(version);
    return parsed ? [parsed.major, parsed.minor, parsed.patch] : undefined;
  },
  satisfies: (version, requirement) => semver.satisfies(version, requirement),
  floor: (requirement) => {
    if (semver.validRange(requirement) === null) return undefined;
    return semver.minVersion(requirement)?.version;
  },
};
