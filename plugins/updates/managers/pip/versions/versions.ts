/** Versions of PEP 440 and their order, cached for sorting. */

import * as pep440 from "@renovatebot/pep440";
import { memoize } from "../../../versions/memoize.js";
import type { Versioning } from "../../contract.js";

type Parsed = NonNullable<ReturnType<typeof pep440.parse>>;

interface Known {
  readonly parsed: Parsed | null;
  /** Epoch and release, then prerelease, postrelease and local parts. */
  readonly release: readonly number[];
  readonly rest: readonly number[];
  readonly local: readonly (string | number)[] | undefined;
}

const known = memoize((text) => keyOf(pep440.parse(text)));

export const readPythonVersion = (text: string): Parsed | null => known(text).parsed;

const LETTERS = ["a", "b", "rc"];

function keyOf(parsed: Parsed | null): Known {
  if (!parsed) return { parsed, release: [], rest: [], local: undefined };
  const { epoch, release, pre, post, dev, local } = parsed;
  const last = release.findLastIndex((number) => number !== 0);
  const [letter, count] = pre ?? [];
  // A dev version sorts before the alphas of its release.
  const early = pre ? LETTERS.indexOf(String(letter)) : !post && dev ? -1 : LETTERS.length;
  return {
    parsed,
    release: [epoch, ...release.slice(0, last + 1)],
    rest: [
      early,
      Number(count ?? 0),
      post ? Number(post[1] ?? 0) : -1,
      dev ? Number(dev[1] ?? 0) : Infinity,
    ],
    local: (local as readonly (string | number)[] | null) ?? undefined,
  };
}

/** Negative if `a` is older; 0 for invalid versions. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [known(a), known(b)];
  if (!first.parsed || !second.parsed) return 0;
  const length = Math.max(first.release.length, second.release.length);
  for (let position = 0; position < length; position += 1) {
    const difference = (first.release[position] ?? 0) - (second.release[position] ?? 0);
    if (difference !== 0) return difference;
  }
  for (const [position, number] of first.rest.entries()) {
    const other = second.rest[position] ?? 0;
    if (number !== other) return number < other ? -1 : 1;
  }
  return compareLocal(first.local, second.local);
}

/** Missing parts sort first; numbers sort after words. */
function compareLocal(a: Known["local"], b: Known["local"]): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  for (const [position, part] of a.entries()) {
    const other = b[position];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (typeof part === typeof other) return part < other ? -1 : 1;
    return typeof part === "number" ? 1 : -1;
  }
  return a.length - b.length;
}

/** Is it an alpha, beta, release candidate or dev version? */
const isEarly = (text: string): boolean => {
  const parsed = readPythonVersion(text);
  return Boolean(parsed?.pre ?? parsed?.dev);
};

const SPECIFIER = /^(===|==|~=|!=|<=|>=|<|>)(.+?)(\.\*)?$/;

function allowsPython(version: string, specifier: string): boolean {
  const [, sign, bound = "", star] = SPECIFIER.exec(specifier) ?? [];
  // A clause without a local part ignores the version's local part.
  const mine = bound.includes("+") ? version : version.replace(/\+.*$/, "");
  const order = compareVersions(mine, bound);
  const prefix = (length: number): boolean => startsWith(mine, bound, length);
  switch (sign) {
    case "===":
      return version.toLowerCase() === bound.toLowerCase();
    case "==":
      return star === undefined ? order === 0 : prefix(parts(bound).length);
    case "!=":
      return star === undefined ? order !== 0 : !prefix(parts(bound).length);
    case "~=":
      return order >= 0 && prefix(parts(bound).length - 1);
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0 && (isEarly(bound) || !isEarly(mine) || !sameBase(mine, bound));
    default:
      return order > 0 && (isPost(bound) || !isPost(mine) || !sameBase(mine, bound));
  }
}

const parts = (version: string): readonly number[] => readPythonVersion(version)?.release ?? [];
const isPost = (version: string): boolean => Boolean(readPythonVersion(version)?.post);

const sameBase = (a: string, b: string): boolean =>
  startsWith(a, b, Math.max(parts(a).length, parts(b).length));

/** The same epoch, and the same first numbers of the release; missing ones are 0. */
function startsWith(version: string, bound: string, length: number): boolean {
  const [mine, theirs] = [readPythonVersion(version), readPythonVersion(bound)];
  if (!mine || !theirs || mine.epoch !== theirs.epoch) return false;
  return Array.from({ length }, (_, position) => position).every(
    (position) => (mine.release[position] ?? 0) === (theirs.release[position] ?? 0),
  );
}

const pad = (release: readonly number[]): readonly [number, number, number] => [
  release[0] ?? 0,
  release[1] ?? 0,
  release[2] ?? 0,
];

/** `>=1.2`, `==1.*`, `~=1.4`, and of Poetry `^1.2`, `~1.2`, `1.2.*`, `1.2.3`. */
const CLAUSE = /^(===|==|~=|!=|<=|>=|<|>|\^|~|=)?\s*((?:\d+!)?[^\s,;|<>=!~^]+)$/;

/** Alternatives of clauses in PEP 440 syntax; undefined for a requirement invalid in both pip and Poetry. */
const alternatives = memoize((requirement): readonly (readonly string[])[] | undefined => {
  const each = requirement.split(/\|\|?/).map((text) => clauses(text));
  return each.every((one) => one !== undefined) ? each : undefined;
});

function clauses(text: string): readonly string[] | undefined {
  // Poetry also reads a space as "and".
  const joined = text.replace(/([<>=!~^])\s+/g, "$1").replace(/^\s*\(|\)\s*$/g, "");
  const parts = joined.split(/[\s,]+/).filter((part) => part !== "");
  const meant = parts.map(clause);
  return meant.some((one) => one === undefined) ? undefined : meant.flatMap((one) => one ?? []);
}

function clause(text: string): readonly string[] | undefined {
  const [, sign = "", version = ""] = CLAUSE.exec(text) ?? [];
  if (text === "*") return [];
  if (version === "") return undefined;
  const base = version.replace(/\.\*$/, "");
  const parsed = readPythonVersion(base);
  if (sign === "===") return [`===${version}`];
  if (!parsed) return undefined;
  if (version.endsWith(".*"))
    return ["", "=", "==", "!="].includes(sign)
      ? [`${sign === "!=" ? "!=" : "=="}${version}`]
      : undefined;
  if (sign === "^" || sign === "~") return [`>=${version}`, `<${above(parsed.release, sign)}`];
  if (sign === "~=" && parsed.release.length < 2) return undefined;
  return [`${sign === "" || sign === "=" ? "==" : sign}${version}`];
}

/** The end of Poetry's caret or tilde. */
function above(release: readonly number[], sign: "^" | "~"): string {
  const first = release.findIndex((number) => number !== 0);
  const caret = first < 0 ? release.length - 1 : first;
  const position = sign === "^" ? caret : Math.min(1, release.length - 1);
  return release
    .slice(0, position + 1)
    .map((number, index) => (index === position ? number + 1 : number))
    .join(".");
}

function satisfies(version: string, requirement: string): boolean {
  const parsed = readPythonVersion(version);
  if (!parsed) return false;
  const early = isEarly(version);
  return (
    alternatives(requirement)?.some((specifiers) => {
      // A prerelease must be named by the requirement.
      const named = early && specifiers.some((text) => isEarly(text.replace(/^(===?|[<>~]=)/, "")));
      if (early && !named) return false;
      return specifiers.every((specifier) => allowsPython(version, specifier));
    }) ?? false
  );
}

function floor(requirement: string): string | undefined {
  const lowest = alternatives(requirement)?.map((specifiers) =>
    specifiers
      .map((text) => /^(?:>=|===?|~=|>)(.+?)(?:\.\*)?$/.exec(text)?.[1])
      .filter((version) => version !== undefined && readPythonVersion(version) !== null)
      .map(String)
      .toSorted(compareVersions)
      .at(-1),
  );
  if (!lowest || lowest.includes(undefined)) return undefined;
  return lowest.map(String).toSorted(compareVersions)[0];
}

export const isPythonRequirement = (text: string): boolean => alternatives(text) !== undefined;

export const pipVersioning: Versioning = {
  isVersion: (text) => readPythonVersion(text) !== null,
  compare: compareVersions,
  isPrerelease: isEarly,
  numbers: (version) => {
    const parsed = readPythonVersion(version);
    return parsed && parsed.epoch === 0 && parsed.release.length <= 3
      ? pad(parsed.release)
      : undefined;
  },
  satisfies,
  floor,
};
