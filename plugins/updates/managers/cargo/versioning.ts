/** Versions and requirements as Cargo reads them: semver, a bare version means `^`, a comma means "and". */
import semver from "semver";
import { semverVersioning } from "../../versions/semver.js";
import type { Versioning } from "../contract.js";

const COMPARATOR =
  /^(\^|~|=|>=|>|<=|<)?\s*((?:\d+)(?:\.(?:\d+|[*xX]))*(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?|[*xX])$/;

/** The same in npm's words; undefined for what Cargo would not read. */
export function asNpmRange(requirement: string): string | undefined {
  const parts = requirement.split(",").map((part) => part.trim());
  // A comma at the end is nothing more.
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  const ranges = parts.map((part) => {
    const [, sign, version] = COMPARATOR.exec(part) ?? [];
    if (version === undefined) return undefined;
    const wild = /[*xX]/.test(version);
    return `${sign ?? (wild ? "" : "^")}${version}`;
  });
  return ranges.includes(undefined) ? undefined : ranges.join(" ");
}

const range = (requirement: string): string | undefined => {
  const text = asNpmRange(requirement);
  return text === undefined || semver.validRange(text) === null ? undefined : text;
};

export const cargoVersioning: Versioning = {
  ...semverVersioning,
  satisfies: (version, requirement) => {
    const meant = range(requirement);
    return meant !== undefined && semver.satisfies(version, meant);
  },
  floor: (requirement) => {
    const meant = range(requirement);
    return meant === undefined ? undefined : semver.minVersion(meant)?.version;
  },
};
