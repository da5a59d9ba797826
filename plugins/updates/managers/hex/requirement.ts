/** How a requirement in a mix.exs follows a new version: its operators stay, its numbers move. */
import type { Strategy } from "../contract.js";
import { hexVersioning, isHexRequirement } from "./versioning.js";

const CLAUSE = /(~>|>=|<=|==|!=|!|>|<|)(\s*)(\d[\w.+-]*)/g;

export function hexRequirement(requirement: string, to: string, strategy: Strategy): string {
  if (strategy === "lockfile_only" || requirement.trim() === "" || !isHexRequirement(requirement))
    return requirement;
  const allowed = hexVersioning.satisfies(to, requirement);
  const several = /\sor\s/.test(requirement);
  if (allowed && (strategy !== "bump_versions" || several)) return requirement;
  const alternatives = requirement.split(/\s+or\s+/);
  const last = alternatives.at(-1) ?? requirement;
  const next = moved(last, to);
  const better = hexVersioning.satisfies(to, next) ? next : `~> ${to}`;
  if (strategy !== "widen_ranges") return better;
  // What only had an upper end keeps all it allowed by a higher one.
  if (alternatives.length === 1 && /</.test(last) && !/~>|==/.test(last)) return better;
  return `${requirement.trimEnd()} or ${/^\d/.test(last) ? `~> ${to}` : better}`;
}

const moved = (alternative: string, to: string): string =>
  alternative.replace(CLAUSE, (whole, operator: string, space: string, version: string) => {
    const put = (next: string): string => `${operator}${space}${next}`;
    if (operator === "~>") return put(precise(version, to));
    if (operator === "" || operator === "==") return put(to);
    if (hexVersioning.satisfies(to, whole)) return whole;
    if (operator === "<") return put(above(version, to));
    return operator === "<=" ? put(to) : whole;
  });

function precise(old: string, to: string): string {
  if (hexVersioning.isPrerelease(to)) return to;
  const count = (old.split("-")[0] ?? old).split(".").length;
  return to.split(/[-+]/)[0]?.split(".").slice(0, count).join(".") ?? to;
}

/** `< 2.0.0` becomes `< 4.0.0` for 3.1.0, `< 1.5.0` becomes `< 1.7.0` for 1.6.2. */
function above(old: string, to: string): string {
  const parts = (old.split("-")[0] ?? old).split(".").map(Number);
  const numbers = (to.split(/[-+]/)[0] ?? to).split(".").map(Number);
  const position = Math.max(
    0,
    parts.findLastIndex((part) => part !== 0),
  );
  return parts
    .map((_, index) =>
      index > position ? 0 : (numbers[index] ?? 0) + (index === position ? 1 : 0),
    )
    .join(".");
}
