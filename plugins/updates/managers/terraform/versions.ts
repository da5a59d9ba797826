/** Versions and constraints as Terraform reads them: `~> 1.2` ends before 2, a bare version is exact, a comma means "and". */
import semver from "semver";
import { semverVersioning } from "../../versions/semver.js";
import type { Strategy, Versioning } from "../contract.js";

const CONSTRAINT =
  /^(~>|>=|<=|!=|=|>|<)?\s*v?(\d+(?:\.\d+){0,2})(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

interface Constraint {
  readonly sign: string;
  readonly numbers: readonly number[];
  readonly version: string;
  readonly prerelease: boolean;
}

/** Empty for any version; undefined for an invalid constraint. */
export function readConstraints(requirement: string): readonly Constraint[] | undefined {
  if (requirement.trim() === "") return [];
  const all = requirement.split(",").map((part): Constraint | undefined => {
    const [, sign = "=", digits, prerelease = "", build = ""] = CONSTRAINT.exec(part.trim()) ?? [];
    if (digits === undefined) return undefined;
    const numbers = digits.split(".").map(Number);
    const [major = 0, minor = 0, patch = 0] = numbers;
    const version = `${major}.${minor}.${patch}${prerelease}${build}`;
    return { sign, numbers, version, prerelease: prerelease !== "" };
  });
  return all.every((one) => one !== undefined) ? all : undefined;
}

function allows({ sign, numbers, version }: Constraint, candidate: string): boolean {
  const order = semver.compare(candidate, version);
  switch (sign) {
    case "=":
      return order === 0;
    case "!=":
      return order !== 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    default:
      return order >= 0 && semver.lt(candidate, pessimistic(numbers));
  }
}

/** The end of `~>`: all numbers but the last stay. `~> 2` of a provider ends before 3; `~> 2` of a module has no end. */
function pessimistic(numbers: readonly number[]): string {
  const [major = 0, minor = 0] = numbers;
  return numbers.length > 2 ? `${major}.${minor + 1}.0-0` : `${major + 1}.0.0-0`;
}

export const terraformVersioning: Versioning = {
  ...semverVersioning,
  satisfies: (version, requirement) => {
    const constraints = readConstraints(requirement);
    if (!constraints || semver.valid(version) === null) return false;
    // A prerelease must be named exactly.
    const named = constraints.some(
      ({ sign, version: exact }) => sign === "=" && semver.compare(exact, version) === 0,
    );
    if (semver.prerelease(version) && !named) return false;
    return constraints.every((constraint) => allows(constraint, version));
  },
  floor: (requirement) =>
    readConstraints(requirement)
      ?.filter(({ sign }) => ["=", ">=", "~>", ">"].includes(sign))
      .map(({ version }) => version)
      .toSorted(semver.rcompare)[0],
};

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

/** Keeps the count of numbers; a prerelease is written in full. */
function precise(old: string, to: string): string {
  const count = (old.split(/[-+]/)[0] ?? old).split(".").length;
  const { major, minor, patch, prerelease, version } = new semver.SemVer(to);
  return prerelease.length > 0 ? version : [major, minor, patch].slice(0, count).join(".");
}

/** The next breaking version, with as many numbers as the old bound. */
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
