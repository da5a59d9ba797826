/** How the requirement of a gem follows a new version: its operators stay, its numbers move. */
import type { Strategy } from "../contract.js";
import { allowsClause, clausesOf, gemVersioning } from "./versioning.js";

/** `requirement` is one text of a Gemfile, which may stand beside others: `gem "x", ">= 1", "< 3"`. */
export function gemRequirement(requirement: string, to: string, strategy: Strategy): string {
  const clauses = clausesOf(requirement);
  if (strategy === "lockfile_only" || !clauses || clauses.length === 0) return requirement;
  const allowed = clauses.every((clause) => allowsClause(clause, to));
  if (allowed && strategy !== "bump_versions") return requirement;
  if (strategy === "widen_ranges") return widened(requirement, to);
  return requirement
    .split(",")
    .map((part) => moved(part, to))
    .join(",");
}

function moved(part: string, to: string): string {
  const [clause] = clausesOf(part) ?? [];
  if (!clause) return part;
  const { operator, version } = clause;
  const put = (next: string): string => part.replace(version, next);
  if (operator === "~>") return put(precise(version, to));
  if (operator === "=") return put(to);
  if (allowsClause(clause, to)) return part;
  if (operator === "<") return put(above(version, to));
  if (operator === "<=") return put(to);
  return part;
}

/** All that was allowed stays allowed. */
function widened(requirement: string, to: string): string {
  const clauses = clausesOf(requirement) ?? [];
  const [only] = clauses;
  if (clauses.length === 1 && only?.operator === "~>") {
    const numbers = only.version.split(".");
    return `>= ${only.version}, < ${above(numbers.slice(0, Math.max(1, numbers.length - 1)).join("."), to)}`;
  }
  if (clauses.length === 1 && only?.operator === "=")
    return `>= ${only.version}, < ${above(only.version.split(".")[0] ?? "0", to)}`;
  return requirement
    .split(",")
    .map((part) => (/[~=]/.test(part.replace(/[<>!]=/, "")) ? part : moved(part, to)))
    .join(",");
}

/** As many numbers as before, and all of a prerelease. */
function precise(old: string, to: string): string {
  if (gemVersioning.isPrerelease(to)) return to;
  const numbers = to.split(".");
  return old
    .split(".")
    .filter((part) => /^\d+$/.test(part))
    .map((_, position) => numbers[position] ?? "0")
    .join(".");
}

/** The next version of the same roundness: `< 2.0` becomes `< 4.0` for 3.1.0, `< 1.5` becomes `< 1.7` for 1.6.2. */
function above(old: string, to: string): string {
  const numbers = to.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const parts = old.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const last = Math.max(
    0,
    parts.findLastIndex((part) => part !== 0),
  );
  return parts
    .map((_, position) => {
      if (position > last) return 0;
      return (numbers[position] ?? 0) + (position === last ? 1 : 0);
    })
    .join(".");
}
