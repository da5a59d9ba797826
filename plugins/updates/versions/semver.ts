/** npm's versions and ranges. */
import semver from "semver";
import type { Versioning } from "../managers/contract.js";

/** Sorting parses the same versions repeatedly. A full cache is emptied. */
const read = new Map<string, semver.SemVer | null>();
const MOST = 20_000;

export function readVersion(text: string): semver.SemVer | null {
  const known = read.get(text);
  if (known !== undefined) return known;
  if (read.size >= MOST) read.clear();
  const version = semver.parse(text);
  read.set(text, version);
  return version;
}

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
