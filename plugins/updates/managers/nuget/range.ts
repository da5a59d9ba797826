/** What NuGet understands by a requirement, and how its lock files write one. */
import { compareNuget, compareNumbers, normalizedNuget, readNugetVersion } from "./order.js";

/** The newest of those that begin like it: `1.2.*`, `1.0.0-beta*`, `1.*-*`. */
interface Floating {
  /** How many numbers are fixed. */
  readonly fixed: number;
  /** How labels have to begin; undefined where only finished versions are wanted. */
  readonly prefix: string | undefined;
  readonly text: string;
}

export interface NugetRange {
  /** One version alone, without brackets: that one or any newer. */
  readonly bare: boolean;
  /** Undefined where there is none. */
  readonly lower: string | undefined;
  readonly lowerIn: boolean;
  readonly upper: string | undefined;
  readonly upperIn: boolean;
  readonly floating?: Floating;
}

const BRACKETS = /^([[(])([^,[\]()]*)(?:(,)([^,[\]()]*))?([\])])$/;

/** Undefined for what is not understood. */
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

/** Is the version in the range? A bare version allows all that are newer. */
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

/** As lock files write what a project asks for: `[1.0.0, )`. */
export function requested(range: NugetRange): string | undefined {
  // Several versions of NuGet write this in several ways.
  if (range.bare && range.floating?.text === "*") return undefined;
  return inBrackets(range, range.floating?.text);
}

/** As lock files write what a package asks for: `1.0.0` for that or any newer. */
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
