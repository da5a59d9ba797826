/** Versions and requirements of NuGet. */
import { compareText } from "../../text/text.js";
import { memoize } from "../../versions/memoize.js";
import type { Versioning } from "../contract.js";
import { intervals } from "../intervals.js";

const ranges = intervals(compareNuget);

export const nugetVersioning: Versioning = {
  isVersion: (text) => readNugetVersion(text) !== undefined,
  compare: compareNuget,
  isPrerelease: (version) => (readNugetVersion(version)?.label ?? "") !== "",
  numbers: (version) => {
    const parsed = readNugetVersion(version);
    return parsed ? [parsed.numbers[0], parsed.numbers[1], parsed.numbers[2]] : undefined;
  },
  /** A bare version is the lowest allowed version: it allows itself. */
  satisfies: (version, requirement) => {
    const range = readRange(requirement);
    if (!range) return false;
    return range.bare && !range.floating
      ? compareNuget(version, requirement) === 0
      : isInRange(range, version);
  },
  floor: (requirement) => {
    const range = readRange(requirement);
    if (range?.floating?.text === "*") return undefined;
    return range?.lower;
  },
};

/**
 * `1.2.*` → `3.4.*` for 3.4.5; intervals as in `intervals.ts`. Unknown forms stay. NuGet takes the lowest version of an interval:
 * with `fromIt` the interval starts at the version, so that NuGet uses it.
 */
export function raisedNuget(requirement: string, version: string, fromIt = true): string {
  const range = readRange(requirement);
  if (!range) return requirement;
  if (!range.floating) {
    const raised = ranges.raised(requirement, version);
    const isOpen = !range.bare && range.lower !== undefined && range.lowerIn;
    const isOne = range.upper !== undefined && raised.indexOf(",") === -1;
    if (!fromIt || !isOpen || isOne || !nugetVersioning.satisfies(version, raised)) return raised;
    return raised.replace(range.lower ?? "", version);
  }
  if (!range.bare || nugetVersioning.satisfies(version, requirement)) return requirement;
  const [, numbers = "", end = ""] =
    /^\s*(\d[\d.]*?)((?:\.\*)?(?:-[^*]*\*)?)\s*$/.exec(requirement) ?? [];
  const parts = normalizedNuget(version).split(/[.-]/).slice(0, numbers.split(".").length);
  const raised = parts.join(".") + end;
  return nugetVersioning.satisfies(version, raised) ? raised : requirement;
}

interface Version {
  readonly numbers: readonly [number, number, number, number];
  /** The prerelease label; empty for a stable version. */
  readonly label: string;
}

const LARGEST = 2 ** 31 - 1;
const LABEL = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const PATTERN = new RegExp(
  `^(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${LABEL}))?(?:\\+${LABEL})?$`,
);

/** Undefined for an invalid version. */
export const readNugetVersion = memoize((text) => read(text.trim()));

function read(text: string): Version | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [major = 0, minor = 0, patch = 0, revision = 0] = match
    .slice(1, 5)
    .map((part) => Number(part ?? 0));
  const numbers = [major, minor, patch, revision] as const;
  const label = match[5] ?? "";
  if (numbers.some((number) => number > LARGEST) || /(?:^|\.)0\d+(?:\.|$)/.test(label))
    return undefined;
  return { numbers, label };
}

function compareNumbers(a: Version, b: Version): number {
  for (const [index, number] of a.numbers.entries()) {
    const order = number - (b.numbers[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

export function compareNuget(a: string, b: string): number {
  const [first, second] = [readNugetVersion(a), readNugetVersion(b)];
  if (!first || !second) return compareText(a, b);
  const order = compareNumbers(first, second);
  if (order !== 0) return order;
  if (first.label === "" || second.label === "") return second.label.length - first.label.length;
  const [ours, theirs] = [first, second].map(({ label }) => label.toLowerCase().split("."));
  for (const at of Array(Math.max(ours?.length ?? 0, theirs?.length ?? 0)).keys()) {
    const difference = compareLabels(ours?.[at], theirs?.[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A number outside 32 bits compares as text. */
function numeric(label: string): number | undefined {
  const number = /^-?\d+$/.test(label) ? Number(label) : Number.NaN;
  return number >= -LARGEST - 1 && number <= LARGEST ? number : undefined;
}

function compareLabels(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [first, second] = [numeric(a), numeric(b)];
  if (first !== undefined && second !== undefined) return first - second;
  if (first !== undefined) return -1;
  if (second !== undefined) return 1;
  return compareText(a, b);
}

const numbersOf = ({ numbers: [major, minor, patch, revision] }: Version): string =>
  [major, minor, patch, ...(revision === 0 ? [] : [revision])].join(".");

const written = (version: Version): string =>
  numbersOf(version) + (version.label === "" ? "" : `-${version.label}`);

/** `1.0` and `1.0.0.0` are one version, written `1.0.0`. */
export function normalizedNuget(text: string): string {
  const version = readNugetVersion(text);
  return version ? written(version) : text;
}

/** The newest of those that begin like it: `1.2.*`, `1.0.0-beta*`, `1.*-*`. */
interface Floating {
  /** The count of fixed numbers. */
  readonly fixed: number;
  /** The required label prefix; undefined for stable versions only. */
  readonly prefix: string | undefined;
  readonly text: string;
}

export interface NugetRange {
  /** A bare version: that version or any newer. */
  readonly bare: boolean;
  /** Undefined if there is none. */
  readonly lower: string | undefined;
  readonly lowerIn: boolean;
  readonly upper: string | undefined;
  readonly upperIn: boolean;
  readonly floating?: Floating;
}

const BRACKETS = /^([[(])([^,[\]()]*)(?:(,)([^,[\]()]*))?([\])])$/;

/** Undefined for an unknown form. */
export function readRange(text: string): NugetRange | undefined {
  const whole = text.trim();
  const match = BRACKETS.exec(whole);
  if (!match) {
    const bound = lowerBound(whole);
    return bound && { bare: true, ...bound, lowerIn: true, upper: undefined, upperIn: false };
  }
  const [, open, first = "", comma, second = "", close] = match;
  const [low, high] = [first.trim(), second.trim()];
  const bound = low === "" ? { lower: undefined } : lowerBound(low);
  const upper = comma === undefined ? bound?.lower : high === "" ? undefined : high;
  if (!bound || (comma === undefined && (low === "" || "floating" in bound))) return undefined;
  if (upper !== undefined && !readNugetVersion(upper)) return undefined;
  return {
    ...{ bare: false, ...bound, lowerIn: open === "[" && low !== "" },
    ...{ upper, upperIn: close === "]" && upper !== undefined },
  };
}

function lowerBound(text: string): Pick<NugetRange, "lower" | "floating"> | undefined {
  if (!text.includes("*")) return readNugetVersion(text) && { lower: text };
  const [, numbers = "", star = "", dash, prefix = ""] =
    /^((?:\d+\.){0,3}\d*)(\*)?(?:(-)([0-9A-Za-z.-]*)\*)?$/.exec(text) ?? [];
  const isStarred = star !== "";
  if (isStarred ? /\d$/.test(numbers) : !/\d$/.test(numbers) || dash === undefined)
    return undefined;
  const parts = numbers.split(".").filter((part) => part !== "");
  const label = dash === undefined ? "" : `-${prefix}${/(?:^|\.)$/.test(prefix) ? "0" : ""}`;
  const lower = normalizedNuget((parts.length === 0 ? "0" : parts.join(".")) + label);
  const version = readNugetVersion(lower);
  if (!version) return undefined;
  const fixed = isStarred ? parts.length : 4;
  const shown = isStarred
    ? [...version.numbers.slice(0, fixed), "*"].join(".")
    : lower.replace(/-.*$/, "");
  const end = dash === undefined ? "" : `-${prefix}*`;
  return {
    lower,
    floating: { fixed, prefix: dash === undefined ? undefined : prefix, text: shown + end },
  };
}

/** Is the version in the range? A bare version allows all newer ones. */
export function isInRange(range: NugetRange, version: string): boolean {
  const { lower, lowerIn, upper, upperIn, floating } = range;
  if (lower !== undefined) {
    const order = compareNuget(version, lower);
    if (order < 0 || (order === 0 && !lowerIn)) return false;
  }
  if (upper !== undefined) {
    const order = compareNuget(version, upper);
    if (order > 0 || (order === 0 && !upperIn)) return false;
  }
  return floating === undefined || floats(floating, lower ?? "", version);
}

function floats({ fixed, prefix }: Floating, lower: string, version: string): boolean {
  const [base, other] = [readNugetVersion(lower), readNugetVersion(version)];
  if (!base || !other) return false;
  if (fixed === 4 && compareNumbers(base, other) !== 0) return false;
  if (base.numbers.slice(0, fixed).some((number, index) => number !== other.numbers[index]))
    return false;
  if (other.label === "") return true;
  return prefix !== undefined && other.label.toLowerCase().startsWith(prefix.toLowerCase());
}

/** A project's requirement in lock files: `[1.0.0, )`. */
export function requested(range: NugetRange): string | undefined {
  // Versions of NuGet write this differently.
  if (range.bare && range.floating?.text === "*") return undefined;
  return inBrackets(range, range.floating?.text);
}

/** A package's requirement in lock files: `1.0.0` for that or any newer. */
export function shortened(range: NugetRange): string {
  const { lower, lowerIn, upper, upperIn } = range;
  if (lower === undefined) return inBrackets(range);
  if (upper === undefined && lowerIn) return normalizedNuget(lower);
  const isOne = upper !== undefined && lowerIn && upperIn && compareNuget(lower, upper) === 0;
  return isOne ? `[${normalizedNuget(lower)}]` : inBrackets(range);
}

function inBrackets({ lower, lowerIn, upper, upperIn }: NugetRange, low?: string): string {
  const from = low ?? (lower === undefined ? "" : normalizedNuget(lower));
  const to = upper === undefined ? "" : normalizedNuget(upper);
  return `${lowerIn ? "[" : "("}${from}, ${to}${upperIn ? "]" : ")"}`;
}
