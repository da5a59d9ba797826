/** Versions are tags, with a `v` or without and with one number to three; requirements are written anew as Cargo's are. */
import { cargoRequirement } from "../cargo/requirement.js";
import type { Strategy, Versioning } from "../contract.js";
import { depFloor, depSatisfies, readDep } from "./ranges.js";

export const depVersioning: Versioning = {
  isVersion: (text) => readDep(text) !== null,
  compare: (a, b) => {
    const [first, second] = [readDep(a), readDep(b)];
    return first && second ? first.compare(second) : 0;
  },
  isPrerelease: (version) => (readDep(version)?.prerelease.length ?? 0) > 0,
  numbers: (version) => {
    const read = readDep(version);
    return read ? [read.major, read.minor, read.patch] : undefined;
  },
  satisfies: depSatisfies,
  floor: depFloor,
};

/** Without the `v` of tags. */
const bare = (text: string): string => text.replace(/(^|[\s,^~<>=|-])v(?=\d)/g, "$1");

/** Its signs, its precision and its `v` stay. */
export function depRequirement(requirement: string, tag: string, strategy: Strategy): string {
  const to = readDep(tag)?.version;
  if (to === undefined || strategy === "lockfile_only" || depFloor(requirement) === undefined)
    return requirement;
  const allowed = depSatisfies(to, requirement);
  if (allowed && (strategy !== "bump_versions" || /[|<!]|\d\s*-\s*v?\d/.test(requirement)))
    return requirement;
  if (requirement.includes("||")) return `${requirement} || ^${to}`;
  const span = /^(.*\d\s*-\s*)v?[\d.]+(\s*)$/.exec(requirement);
  if (span) return `${span[1]}${to}${span[2]}`;
  const parts = bare(requirement)
    .replace(/=([<>])/g, "$1=")
    .split(",");
  const moving = parts.filter((part) => !part.includes("!="));
  const next = [
    cargoRequirement(moving.join(","), to, strategy),
    ...parts.filter((part) => part.includes("!=")),
  ].join(",");
  const written =
    bare(requirement) === requirement ? next : next.replace(/(^|[\s,^~<>=])(?=\d)/, "$1v");
  return depSatisfies(to, written) ? written : `^${to}`;
}
