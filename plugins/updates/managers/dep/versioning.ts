/** Versions are tags, with a `v` or without; a bare version in a requirement means `^`. Requirements are like Cargo's. */
import { semverVersioning } from "../../versions/semver.js";
import { cargoRequirement } from "../cargo/requirement.js";
import { cargoVersioning } from "../cargo/versioning.js";
import type { Strategy, Versioning } from "../contract.js";

/** Without the `v` of tags. */
const bare = (text: string): string => text.replace(/(^|[\s,^~<>=])v(?=\d)/g, "$1");

export const depVersioning: Versioning = {
  ...semverVersioning,
  satisfies: (version, requirement) => cargoVersioning.satisfies(bare(version), bare(requirement)),
  floor: (requirement) => cargoVersioning.floor(bare(requirement)),
};

/** Its signs, its precision and its `v` stay. */
export function depRequirement(requirement: string, to: string, strategy: Strategy): string {
  const next = cargoRequirement(bare(requirement), bare(to), strategy);
  if (next === bare(requirement)) return requirement;
  return bare(requirement) === requirement ? next : next.replace(/(^|[\s,^~<>=])(?=\d)/, "$1v");
}
