/** npm's versions and ranges. */
import semver from "semver";
import type { Versioning } from "../managers/contract.js";
import { memoize } from "./memoize.js";

export const readVersion = memoize((text) => semver.parse(text));

export const semverVersioning: Versioning = {
  isVersion: (text) => readVersion(text) !== null,
  compare: (a, b) => {
    const [first, second] = [readVersion(a), readVersion(b)];
    return first && second ? first.compare(second) || first.compareBuild(second) : 0;
  },
  isPrerelease: (version) => (readVersion(version)?.prerelease.length ?? 0) > 0,
  numbers: (version) => {
    const parsed = readVersion(version);
    return parsed ? [parsed.major, parsed.minor, parsed.patch] : undefined;
  },
  satisfies: (version, requirement) => semver.satisfies(version, requirement),
  floor: (requirement) => {
    if (semver.validRange(requirement) === null) return undefined;
    return semver.minVersion(requirement)?.version;
  },
};
