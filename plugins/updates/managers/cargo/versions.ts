/** Versions and requirements as Cargo reads them: semver, a bare version means `^`, a comma means "and". */
import semver from "semver";
import { semverVersioning } from "../../versions/semver.js";
import type { Strategy, Versioning } from "../contract.js";

const COMPARATOR =
  /^(\^|~|=|>=|>|<=|<)?\s*((?:\d+)(?:\.(?:\d+|[*xX]))*(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?|[*xX])$/;

/** The same as an npm range; undefined for an invalid requirement. */
function asNpmRange(requirement: string): string | undefined {
  const parts = requirement.split(",").map((part) => part.trim());
  // A trailing comma is allowed.
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

const VERSION = /\d+(?:\.(?:\d+|[*xX]))*(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?/;

export function cargoRequirement(requirement: string, to: string, strategy: Strategy): string {
  if (strategy === "lockfile_only" || asNpmRange(requirement) === undefined) return requirement;
  const allowed = cargoVersioning.satisfies(to, requirement);
  const several = requirement.includes(",");
  if (allowed && (strategy !== "bump_versions" || several || /</.test(requirement)))
    return requirement;
  if (!VERSION.test(requirement)) return requirement;
  if (strategy === "widen_ranges") return widened(requirement, to);
  return requirement
    .split(",")
    .map((part) => moved(part, to, several))
    .join(",");
}

/** One comparator that must allow `to`. Of several, lower bounds that already allow it stay. */
function moved(part: string, to: string, several: boolean): string {
  const [, sign = ""] = /^\s*(<=?|>=?|[~^=])?/.exec(part) ?? [];
  if (sign === "<") return part.replace(VERSION, (old) => above(old, to));
  if (several && sign.startsWith(">") && cargoVersioning.satisfies(to, part.trim())) return part;
  const next = part.replace(VERSION, (old) => precise(old, to));
  return sign === ">" ? next.replace(">", ">=") : next;
}

/** Keeps what was allowed: from the old lower bound to below the next major version. */
function widened(requirement: string, to: string): string {
  if (requirement.includes("<"))
    return requirement.replace(/<=?\s*[^,\s]+/, (bound) =>
      bound.replace(VERSION, (old) => (bound.startsWith("<=") ? precise(old, to) : above(old, to))),
    );
  const floor = cargoVersioning.floor(requirement);
  if (floor === undefined || requirement.includes(",")) return requirement;
  const written = VERSION.exec(requirement)?.[0].replace(/\.?[*xX].*$/, "") ?? floor;
  return `>=${written}, <${above(written, to)}`;
}

/** Keeps the count of numbers and the stars. */
function precise(old: string, to: string): string {
  const parts = old.split(/[-+]/)[0]?.split(".") ?? [];
  const numbers = to.split(/[-+]/)[0]?.split(".") ?? [];
  const wild = parts.some((part) => /^[*xX]$/.test(part));
  // A truncated version would exclude the wanted prerelease.
  if ((parts.length > 2 && !wild) || semver.prerelease(to)) return semver.valid(to) ?? to;
  return parts
    .map((part, position) => (/^[*xX]$/.test(part) ? part : (numbers[position] ?? "0")))
    .join(".");
}

/** The next breaking version with as many numbers as the old bound: `2.0.0`, or `0.5` for 0.4.x. */
function above(old: string, to: string): string {
  const { major, minor } = new semver.SemVer(to);
  const count = (old.split(/[-+]/)[0] ?? old).split(".").length;
  const next = major === 0 && count > 1 ? [0, minor + 1, 0] : [major + 1, 0, 0];
  return next.slice(0, count).join(".");
}
