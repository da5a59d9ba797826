/** Versions of Elixir: strict semver, and requirements with `and`, `or` and `~>`. */

import { readVersion } from "../../versions/semver.js";
import { nextBound } from "../bounds.js";
import type { Strategy, Versioning } from "../contract.js";

interface Clause {
  readonly operator: string;
  /** Three numbers. */
  readonly version: string;
  /** The count of numbers in the text. */
  readonly numbers: number;
}

const CLAUSE =
  /^(~>|>=|<=|==|!=|!|>|<|)\s*(\d+(?:\.\d+){1,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;

/** Alternatives of clauses; undefined for an invalid requirement. */
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

/** Ignores build metadata behind `+`. */
function compare(a: string, b: string): number {
  const [first, second] = [readVersion(a), readVersion(b)];
  return first && second ? first.compare(second) : 0;
}

/** Excludes the leading letters that npm accepts. */
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

interface Bound {
  /** Three numbers, without build metadata. */
  readonly version: string;
  readonly included: boolean;
}

/** An undefined bound is open. An exact version has two equal bounds. */
interface Range {
  readonly from?: Bound;
  readonly to?: Bound;
}

const WRITTEN_CLAUSE =
  /^ *(~>|>=|<=|==|>|<|) *((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))?(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)? *$/;

export function asHexWrites(requirement: string): string | undefined {
  const ranges: Range[] = [];
  for (const alternative of requirement.split(" or ")) {
    const clauses = alternative.split(" and ");
    const [first, second] = clauses.map(writtenClause);
    if (!first || clauses.length > 2 || (clauses.length === 2 && !second)) return undefined;
    const range = second ? together(first, second) : first.range;
    if (!range || isEmpty(range)) return undefined;
    ranges.push(range);
  }
  return joined(ranges).map(written).join(" or ");
}

interface WrittenClause {
  readonly operator: string;
  readonly range: Range;
}

function writtenClause(text: string): WrittenClause | undefined {
  const [, operator = "", version = ""] = WRITTEN_CLAUSE.exec(text) ?? [];
  const [numbers = "", ...rest] = version.split(/(?=-)/);
  const parts = numbers.split(".").map(Number);
  if (version === "" || (parts.length === 2 && operator !== "~>")) return undefined;
  if (
    rest
      .join("")
      .slice(1)
      .split(".")
      .some((part) => /^0\d+$/.test(part))
  )
    return undefined;
  const [major = 0, minor = 0, patch = 0] = parts;
  const at = `${major}.${minor}.${patch}${rest.join("")}`;
  const bound = (included: boolean): Bound => ({ version: at, included });
  if (operator === "~>") {
    const end = parts.length === 2 ? `${major + 1}.0.0-0` : `${major}.${minor + 1}.0-0`;
    return { operator, range: { from: bound(true), to: { version: end, included: false } } };
  }
  if (operator.startsWith(">")) return { operator, range: { from: bound(operator === ">=") } };
  if (operator.startsWith("<")) return { operator, range: { to: bound(operator === "<=") } };
  return { operator: "==", range: { from: bound(true), to: bound(true) } };
}

/** Two clauses with `and`: one lower and one upper bound, or one beside `~>`. */
function together(first: WrittenClause, second: WrittenClause): Range | undefined {
  const [a, b] = [first.range, second.range];
  if (first.operator === "==" || second.operator === "==") return undefined;
  const approximate = [first, second].filter(({ operator }) => operator === "~>").length;
  if (approximate === 2) return undefined;
  if (approximate === 0 && ((a.from && b.from) || (a.to && b.to))) return undefined;
  const from = byFrom(a, b) > 0 ? a.from : b.from;
  const to = byTo(a, b) < 0 ? a.to : b.to;
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

/** Merges overlapping and adjacent intervals. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted(byFrom)) {
    const last = result.at(-1);
    if (!last || isApart(last, range)) result.push(range);
    else {
      const { to } = byTo(last, range) > 0 ? last : range;
      result.splice(-1, 1, { ...(last.from ? { from: last.from } : {}), ...(to ? { to } : {}) });
    }
  }
  return result;
}

function isApart({ to }: Range, { from }: Range): boolean {
  if (!to || !from) return false;
  const order = hexVersioning.compare(to.version, from.version);
  return order < 0 || (order === 0 && !to.included && !from.included);
}

/** Orders by the lower bound; an open one is first. */
function byFrom({ from: a }: Range, { from: b }: Range): number {
  if (!a || !b) return a === b ? 0 : a ? 1 : -1;
  return hexVersioning.compare(a.version, b.version) || Number(b.included) - Number(a.included);
}

function byTo({ to: a }: Range, { to: b }: Range): number {
  if (!a || !b) return a === b ? 0 : a ? -1 : 1;
  return hexVersioning.compare(a.version, b.version) || Number(a.included) - Number(b.included);
}

function isEmpty({ from, to }: Range): boolean {
  if (!from || !to) return false;
  const order = hexVersioning.compare(from.version, to.version);
  return order > 0 || (order === 0 && !(from.included && to.included));
}

function written({ from, to }: Range): string {
  if (from && to) {
    if (from.version === to.version) return from.version;
    const about =
      from.included && !to.included ? approximately(from.version, to.version) : undefined;
    if (about !== undefined) return about;
  }
  const parts = [
    ...(from ? [`>${from.included ? "=" : ""} ${from.version}`] : []),
    ...(to ? [`<${to.included ? "=" : ""} ${to.version}`] : []),
  ];
  return parts.length === 0 ? "any" : parts.join(" and ");
}

function approximately(from: string, to: string): string | undefined {
  const [, major, minor, patch, pre = ""] = /^(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(from) ?? [];
  if (patch === "0" && to === `${Number(major) + 1}.0.0-0`) return `~> ${major}.${minor}${pre}`;
  return to === `${major}.${Number(minor) + 1}.0-0`
    ? `~> ${major}.${minor}.${patch}${pre}`
    : undefined;
}

const BOUND = /(~>|>=|<=|==|!=|!|>|<|)(\s*)(\d[\w.+-]*)/g;

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
  // A requirement with an upper bound only keeps its range with a higher bound.
  if (alternatives.length === 1 && /</.test(last) && !/~>|==/.test(last)) return better;
  return `${requirement.trimEnd()} or ${/^\d/.test(last) ? `~> ${to}` : better}`;
}

const moved = (alternative: string, to: string): string =>
  alternative.replace(BOUND, (whole, operator: string, space: string, version: string) => {
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

function above(old: string, to: string): string {
  const parts = (old.split("-")[0] ?? old).split(".").map(Number);
  const numbers = (to.split(/[-+]/)[0] ?? to).split(".").map(Number);
  return nextBound(parts, numbers).join(".");
}
