/** Updates a constraint of composer.json: its form stays, its numbers change. */
import { nextBound, numbersLike } from "../../bounds.js";
import type { Strategy } from "../../contract.js";
import { composerVersioning, constraintOf } from "./versions.js";

const VERSION =
  /v?\d+(?:\.(?:\d+|[xX*]))*(?:[._-]?(?:stable|beta|b|RC|alpha|a|patch|pl|p|dev)(?:[.-]?\d+)*)?/i;
const UPPER = /<|\s-\s/;
const OR = /\s*\|\|?\s*/;

export function composerRequirement(requirement: string, to: string, strategy: Strategy): string {
  if (strategy === "lockfile_only" || !constraintOf(requirement) || !VERSION.test(requirement))
    return requirement;
  const version = to.replace(/^v/, "");
  const allowed = composerVersioning.satisfies(version, requirement);
  const several = UPPER.test(requirement) || requirement.includes("|");
  if (allowed && (strategy !== "bump_versions" || several)) return requirement;
  if (strategy === "widen_ranges") return widened(requirement, version);
  return UPPER.test(requirement) ? raised(requirement, version) : moved(requirement, version);
}

/** Everything allowed before stays allowed. */
function widened(requirement: string, to: string): string {
  const alternatives = requirement.split(OR);
  if (alternatives.length === 1 && UPPER.test(requirement)) return raised(requirement, to);
  const last = alternatives.at(-1) ?? "";
  return withAnother(requirement, /^[~^]|[xX*]/.test(last) ? moved(last, to) : `^${to}`);
}

/** Joins alternatives with the separator already in use. */
function withAnother(requirement: string, alternative: string): string {
  const [separator = " || "] = /\s*\|\|?\s*/.exec(requirement) ?? [];
  return `${requirement.trimEnd()}${separator}${alternative}`;
}

/** The last alternative with the new version. */
function moved(requirement: string, to: string): string {
  const last = requirement.split(OR).at(-1) ?? requirement;
  const next = last.replace(VERSION, (old) => precise(old, to));
  // `1.0` means exactly 1.0.0, so all numbers are written.
  return composerVersioning.satisfies(to, next) ? next : last.replace(VERSION, to);
}

/** Keeps the count of numbers and the `*`. */
function precise(old: string, to: string): string {
  const parts = old.replace(/^v/i, "").split(".");
  const wild = parts.some((part) => /^[xX*]/.test(part));
  if (composerVersioning.isPrerelease(to) || composerVersioning.isPrerelease(old)) return to;
  if (!wild && parts.length > 2) return to;
  return numbersLike(parts, to);
}

/** Raises the last upper bound. */
function raised(requirement: string, to: string): string {
  const bounds = [...requirement.matchAll(/(<=?|\s-)\s*(v?\d+(?:\.(?:\d+|[xX*]))*(?:-[\w.-]+)?)/g)];
  const last = bounds.at(-1);
  if (!last) return requirement;
  const [whole, sign = "", old = ""] = last;
  const at = last.index + whole.length - old.length;
  const bound = sign === "<" ? above(old, to) : precise(old, to);
  const next = requirement.slice(0, at) + bound + requirement.slice(at + old.length);
  return composerVersioning.satisfies(to, next) ? next : withAnother(requirement, `^${to}`);
}

function above(old: string, to: string): string {
  const parts = (old.split("-")[0] ?? old).replace(/^v/, "").split(".").map(Number);
  const numbers = (to.split(/[-+]/)[0] ?? to).split(".").map(Number);
  return nextBound(parts, numbers).join(".");
}
