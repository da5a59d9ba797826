/** Helm's versions, with or without `v`, and its ranges, in which a comma means a space. */
import semver from "semver";
import { semverVersioning } from "../../versions/semver.js";
import type { Strategy, Versioning } from "../contract.js";
import { npmRequirement } from "../npm/versions.js";

const spaced = (requirement: string): string => requirement.replaceAll(",", " ");

export const helmVersioning: Versioning = {
  ...semverVersioning,
  satisfies: (version, requirement) => semver.satisfies(version, spaced(requirement)),
  floor: (requirement) => semverVersioning.floor(spaced(requirement)),
};

/** A requirement has a `v` if the old one had. */
export function helmRequirement(requirement: string, version: string, strategy: Strategy): string {
  const to = version.replace(/^v/, "");
  const old = spaced(requirement);
  const next = npmRequirement(old, to, strategy);
  if (next === old) return requirement;
  if (!requirement.includes(",")) return next;
  return next
    .split("||")
    .map((part) => part.trim().replace(/\s+(?=[<>=~^!])/g, ", "))
    .join(" || ");
}
