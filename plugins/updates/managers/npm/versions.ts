/** Updates a range of package.json: its form stays, its numbers change. */

import semver from "semver";
import { nextBound, numbersLike } from "../bounds.js";
import type { Strategy } from "../contract.js";

const VERSION = /\d+(?:\.(?:\d+|[xX*]))*(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?/;
const UPPER_BOUND = /<|\s-\s/;

export function npmRequirement(requirement: string, to: string, strategy: Strategy): string {
  if (strategy === "lockfile_only") return requirement;
  if (semver.validRange(requirement) === null || !VERSION.test(requirement)) return requirement;
  const allowed = semver.satisfies(to, requirement, { includePrerelease: true });
  const bounded = UPPER_BOUND.test(requirement) || requirement.includes("||");
  if (allowed && (strategy !== "bump_versions" || bounded)) return requirement;
  if (strategy === "widen_ranges") return widened(requirement, to);
  return UPPER_BOUND.test(requirement) ? raised(requirement, to) : moved(requirement, to);
}

/** Everything allowed before stays allowed. */
function widened(requirement: string, to: string): string {
  const alternatives = requirement.split("||");
  if (alternatives.length === 1 && UPPER_BOUND.test(requirement)) return raised(requirement, to);
  const last = (alternatives.at(-1) ?? "").trim();
  return `${requirement.trimEnd()} || ${/^[~^]|[xX*]/.test(last) ? moved(last, to) : `^${to}`}`;
}

/** The last alternative with the new version. */
function moved(requirement: string, to: string): string {
  const alternatives = requirement.split("||");
  const last = alternatives.length === 1 ? requirement : (alternatives.at(-1) ?? "").trim();
  return last.replace(VERSION, (old) => precise(old, to));
}

function precise(old: string, to: string): string {
  const parts = old.split(".");
  const exact = parts.length > 2 && !parts.some((part) => /^[xX*]/.test(part));
  // A truncated version would exclude the wanted prerelease.
  if (exact || old.includes("-") || semver.prerelease(to)) return to;
  return numbersLike(parts, to);
}

/** Raises the last upper bound. */
function raised(requirement: string, to: string): string {
  const bounds = [...requirement.matchAll(/(<=?|\s-)\s*(\d+(?:\.(?:\d+|[xX*]))*(?:-[\w.-]+)?)/g)];
  const last = bounds.at(-1);
  if (!last) return requirement;
  const [whole, sign = "", old = ""] = last;
  const bound = sign === "<" ? above(old, to) : precise(old, to);
  const at = last.index + whole.length - old.length;
  const next = requirement.slice(0, at) + bound + requirement.slice(at + old.length);
  return semver.satisfies(to, next, { includePrerelease: true })
    ? next
    : `${requirement.trimEnd()} || ^${to}`;
}

function above(old: string, to: string): string {
  const parts = (old.split("-")[0] ?? old).split(".").map(Number);
  const numbers = (to.split(/[-+]/)[0] ?? to).split(".").map(Number);
  return nextBound(parts, numbers).join(".");
}
