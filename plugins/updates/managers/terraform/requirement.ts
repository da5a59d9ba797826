/** How a constraint follows a new version: its signs and its precision stay, its numbers move. */
import semver from "semver";
import type { Strategy } from "../contract.js";
import { readConstraints, terraformVersioning } from "./versioning.js";

const VERSION = /v?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?/;

export function terraformRequirement(requirement: string, to: string, strategy: Strategy): string {
  const constraints = readConstraints(requirement);
  if (strategy === "lockfile_only" || !constraints) return requirement;
  const allowed = terraformVersioning.satisfies(to, requirement);
  const follows = constraints.length === 1 && ["=", "~>"].includes(constraints[0]?.sign ?? "");
  if (allowed && (strategy !== "bump_versions" || !follows)) return requirement;
  if (strategy === "widen_ranges" && constraints.length === 1 && constraints[0]?.sign === "~>")
    return widened(requirement, to);
  const next = requirement
    .split(",")
    .map((part) => moved(part, to))
    .join(",");
  return terraformVersioning.satisfies(to, next) ? next : requirement.replace(/^.*$/s, to);
}

function moved(part: string, to: string): string {
  const [, sign = "="] = /^\s*(~>|>=|<=|!=|=|>|<)?/.exec(part) ?? [];
  if (sign !== "~>" && sign !== "=" && terraformVersioning.satisfies(to, part.trim())) return part;
  if (sign === "!=" || sign.startsWith(">")) return part;
  if (sign === "=") return part.replace(VERSION, to.replace(/^v/, ""));
  return part.replace(VERSION, (old) => (sign === "<" ? above(old, to) : precise(old, to)));
}

/** As many numbers as were written; all of them for a prerelease. */
function precise(old: string, to: string): string {
  const count = (old.split(/[-+]/)[0] ?? old).split(".").length;
  const { major, minor, patch, prerelease, version } = new semver.SemVer(to);
  return prerelease.length > 0 ? version : [major, minor, patch].slice(0, count).join(".");
}

/** The next version that breaks, as precisely as the old bound. */
function above(old: string, to: string): string {
  const numbers = old.split(".").map(Number);
  const { major, minor } = new semver.SemVer(to);
  const next = (numbers[1] ?? 0) > 0 ? [major, minor + 1, 0] : [major + 1, 0, 0];
  return next.slice(0, numbers.length).join(".");
}

/** `~> 1.2` becomes `>= 1.2, < 4.0`. */
function widened(requirement: string, to: string): string {
  const old = VERSION.exec(requirement)?.[0] ?? "";
  return `>= ${old}, < ${new semver.SemVer(to).major + 1}.0.0`;
}
