/** Versions of Elixir: strict semver, and requirements with `and`, `or` and `~>`. */
import { readVersion } from "../../versions/semver.js";
import type { Versioning } from "../contract.js";

interface Clause {
  readonly operator: string;
  /** With three numbers. */
  readonly version: string;
  /** How many numbers there were. */
  readonly numbers: number;
}

const CLAUSE =
  /^(~>|>=|<=|==|!=|!|>|<|)\s*(\d+(?:\.\d+){1,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;

/** Alternatives of clauses; undefined for what is no requirement. */
function alternativesOf(requirement: string): readonly (readonly Clause[])[] | undefined {
  const alternatives = requirement
    .trim()
    .split(/\s+or\s+/)
    .map((part) => part.split(/\s+and\s+/).map((clause) => clauseOf(clause.trim())));
  return alternatives.some((clauses) => clauses.includes(undefined))
    ? undefined
    : (alternatives as readonly (readonly Clause[])[]);
}

function clauseOf(text: string): Clause | undefined {
  const [, operator = "", written = ""] = CLAUSE.exec(text) ?? [];
  const [release = "", ...rest] = written.split(/(?=[-+])/);
  const numbers = release.split(".").length;
  // Only `~>` may leave out the last number.
  if (written === "" || (numbers === 2 && operator !== "~>")) return undefined;
  const version = `${release}${".0".repeat(3 - numbers)}${rest.join("")}`;
  return readVersion(version) === null ? undefined : { operator, version, numbers };
}

function holds({ operator, version: bound, numbers }: Clause, version: string): boolean {
  const order = compare(version, bound);
  if (operator === "" || operator === "==") return order === 0;
  if (operator === "!=" || operator === "!") return order !== 0;
  if (operator === ">") return order > 0;
  if (operator === ">=") return order >= 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  const [mine, theirs] = [readVersion(version), readVersion(bound)];
  if (order < 0 || !mine || !theirs) return false;
  return mine.major === theirs.major && (numbers === 2 || mine.minor === theirs.minor);
}

/** What is behind a `+` counts for nothing. */
function compare(a: string, b: string): number {
  const [first, second] = [readVersion(a), readVersion(b)];
  return first && second ? first.compare(second) : 0;
}

/** Letters and `v`s that npm puts up with are none of it. */
const isVersion = (text: string): boolean => /^\d/.test(text) && readVersion(text) !== null;

export const hexVersioning: Versioning = {
  isVersion,
  compare,
  isPrerelease: (version) => (readVersion(version)?.prerelease.length ?? 0) > 0,
  numbers: (version) => {
    const parsed = readVersion(version);
    return parsed ? [parsed.major, parsed.minor, parsed.patch] : undefined;
  },
  satisfies: (version, requirement) =>
    isVersion(version) &&
    (requirement.trim() === "" ||
      (alternativesOf(requirement)?.some((clauses) =>
        clauses.every((clause) => holds(clause, version)),
      ) ??
        false)),
  floor: (requirement) => {
    const bounds = (alternativesOf(requirement) ?? [])
      .flat()
      .filter(({ operator }) => ["", "==", ">=", "~>"].includes(operator))
      .map(({ version }) => version);
    return bounds.toSorted(compare)[0];
  },
};

export const isHexRequirement = (text: string): boolean =>
  text.trim() === "" || alternativesOf(text) !== undefined;
