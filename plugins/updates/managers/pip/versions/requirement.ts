/** Updates a requirement: its operators and precision stay, its numbers change. */
import { nextBound } from "../../bounds.js";
import type { Strategy } from "../../contract.js";
import { isPythonRequirement, pipVersioning, readPythonVersion } from "./versions.js";

const CLAUSE = /(===|==|~=|!=|<=|>=|<|>|\^|~(?!=)|=)?(\s*)((?:\d+!)?[^\s,;|<>=!~^()]+)/g;
const EXACT = /^(===?|=?)$/;

export function pipRequirement(requirement: string, to: string, strategy: Strategy): string {
  if (strategy === "lockfile_only" || requirement === "" || !isPythonRequirement(requirement))
    return requirement;
  const allowed = pipVersioning.satisfies(to, requirement);
  if (allowed && (strategy !== "bump_versions" || !follows(requirement))) return requirement;
  if (strategy === "widen_ranges") return widened(requirement, to);
  const next = eachClause(lastOf(requirement), (sign, version) => moved(sign, version, to));
  return pipVersioning.satisfies(to, next) ? next : `==${to}`;
}

/** Does the clause name the newest version: `==1.2`, `~=1.2`, `^1.2`, `1.2.*`? Bounds alone do not. */
const follows = (requirement: string): boolean =>
  !requirement.includes("|") &&
  [...requirement.matchAll(CLAUSE)].some(
    ([, sign = "", , version]) => version !== "*" && (EXACT.test(sign) || /^[~^]/.test(sign)),
  );

/** The last alternative is the newest. */
const lastOf = (requirement: string): string =>
  requirement.includes("|") ? (requirement.split(/\|\|?/).at(-1) ?? "").trim() : requirement;

const eachClause = (text: string, next: (sign: string, version: string) => string): string =>
  text.replace(CLAUSE, (_whole, sign: string | undefined, gap: string, version: string) => {
    const written = next(sign ?? "", version);
    return written.startsWith(">=") && sign === ">"
      ? `>=${gap}${written.slice(2)}`
      : `${sign ?? ""}${gap}${written}`;
  });

/** The version of a clause that must allow `to`. */
function moved(sign: string, version: string, to: string): string {
  if (version === "*" || sign === "!=") return version;
  if (sign === "<")
    return pipVersioning.satisfies(to, `<${version}`) ? version : above(version, to);
  if (sign === "<=")
    return pipVersioning.satisfies(to, `<=${version}`) ? version : roundedUp(version, to);
  if (sign === ">=") return pipVersioning.satisfies(to, `>=${version}`) ? version : to;
  if (sign === ">") return pipVersioning.satisfies(to, `>${version}`) ? version : `>=${to}`;
  if (EXACT.test(sign) && !version.endsWith("*")) return to;
  return precise(version, to);
}

/** Keeps the count of numbers and the star. A truncated version would exclude a wanted prerelease. */
function precise(old: string, to: string): string {
  const parsed = readPythonVersion(to);
  if (!parsed || ((parsed.pre ?? parsed.dev) && !old.endsWith("*"))) return to;
  const parts = old.replace(/^\d+!/, "").split(".");
  const star = parts.at(-1) === "*";
  const count = star ? parts.length - 1 : parts.length;
  const numbers = Array.from({ length: count }, (_, position) => parsed.release[position] ?? 0);
  const epoch = parsed.epoch > 0 ? `${parsed.epoch}!` : "";
  return epoch + [...numbers, ...(star ? ["*"] : [])].join(".");
}

/** As precise as the old version if that allows `to`: `2.1` is less than 2.1.3. */
function roundedUp(old: string, to: string): string {
  const cut = precise(old, to);
  return pipVersioning.satisfies(to, `<=${cut}`) ? cut : to;
}

function above(old: string, to: string): string {
  const parsed = readPythonVersion(to);
  const before = readPythonVersion(old);
  if (!parsed || !before) return old;
  const numbers = nextBound(before.release, parsed.release);
  return (parsed.epoch > 0 ? `${parsed.epoch}!` : "") + numbers.join(".");
}

/** What was allowed stays allowed. */
function widened(requirement: string, to: string): string {
  if (/[<]/.test(requirement) && !requirement.includes("|"))
    return eachClause(requirement, (sign, version) =>
      sign.startsWith("<") ? moved(sign, version, to) : version,
    );
  const major = readPythonVersion(to)?.release[0] ?? 0;
  const floor = pipVersioning.floor(requirement);
  const exact = /^===?\s*[^*]*$/.test(requirement) || /^\d[^*,|]*$/.test(requirement);
  if (exact || floor === undefined)
    return eachClause(requirement, (sign, version) => moved(sign, version, to));
  return `>=${floor},<${major + 1}`;
}
