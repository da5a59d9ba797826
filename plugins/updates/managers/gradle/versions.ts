/**
 * Versions in the order that Gradle's user manual describes ("Declaring versions and ranges: version ordering"). A requirement is a
 * version (`1.2`), a range (`[1,2[`), a prefix (`1.+`) or the latest. `!!` makes it strict and may name a preferred version
 * (`[1,2[!!1.5`).
 */
import { memoize } from "../../versions/memoize.js";
import type { Versioning } from "../contract.js";
import { boundAbove, type Interval, isWithin } from "../intervals.js";
import { mavenVersioning } from "../maven/versions.js";

/** Qualifiers above all others, from the oldest to the newest; `dev` is below all others. */
const SPECIAL = ["rc", "snapshot", "final", "ga", "release", "sp"];

/** Gradle treats a larger number as a word. */
const LARGEST = 2n ** 63n - 1n;

type VersionPart = bigint | string;

const read = memoize((version): readonly VersionPart[] =>
  version
    .split(/[.\-_+]|(?<=\d)(?=[^\d.\-_+])|(?<=[^\d.\-_+])(?=\d)/)
    .map((part) => (/^\d+$/.test(part) && BigInt(part) <= LARGEST ? BigInt(part) : part)),
);

function rank(word: string): number {
  const lower = word.toLowerCase();
  return lower === "dev" ? -1 : SPECIAL.indexOf(lower) + 1;
}

function compareParts(a: VersionPart, b: VersionPart): number {
  if (typeof a === "bigint") {
    if (typeof b === "string") return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof b === "bigint") return -1;
  return rank(a) - rank(b) || (rank(a) > 0 || a === b ? 0 : a < b ? -1 : 1);
}

/** Negative where `a` is older than `b`. */
export function compareGradle(a: string, b: string): number {
  const first = read(a);
  const second = read(b);
  const length = Math.min(first.length, second.length);
  for (let at = 0; at < length; at += 1) {
    const order = compareParts(first[at] ?? "", second[at] ?? "");
    if (order !== 0) return order;
  }
  // An additional number is newer, an additional word older: 1.1.a < 1.1 < 1.1.0.
  const more = first[length] ?? second[length];
  if (more === undefined) return 0;
  const sign = first.length > length ? 1 : -1;
  return typeof more === "bigint" ? sign : -sign;
}

/** `]1,2]` excludes 1, as `(1,2]` does. */
function readRange(requirement: string): Interval | undefined {
  const [, open, lower = "", comma, upper = "", close] =
    /^([[(\]])\s*([^,[\]()\s]*)\s*(,?)\s*([^,[\]()\s]*)\s*([\])[])$/.exec(requirement) ?? [];
  if (open === undefined) return undefined;
  if (comma === "" && (lower === "" || upper !== "" || open !== "[" || close !== "]"))
    return undefined;
  // An open side needs a round bracket, and only one side may be open.
  if (comma !== "" && lower === "" && (open !== "(" || upper === "")) return undefined;
  if (comma !== "" && upper === "" && close !== ")") return undefined;
  const top = comma === "" ? lower : upper;
  return {
    ...(lower === "" ? {} : { lower }),
    lowerIn: open === "[",
    ...(top === "" ? {} : { upper: top }),
    upperIn: close === "]",
  };
}

/** May more than one version satisfy it? */
export const isDynamic = (requirement: string): boolean =>
  /^[[(\]]|\+$|^latest\./.test(requirement);

const PREFERRED = /^(.+)!!([^!]+)$/;

export function gradleSatisfies(version: string, text: string): boolean {
  const requirement = text.replace(/!![^!]*$/, "");
  if (/^latest\./.test(requirement) || requirement === "+") return true;
  if (requirement.endsWith("+")) return version.startsWith(requirement.slice(0, -1));
  const range = readRange(requirement);
  if (!range) return compareGradle(version, requirement) === 0;
  if (!isWithin(range, version, compareGradle)) return false;
  const { upper, upperIn } = range;
  // An excluded bound excludes its prereleases too: `2.0-rc-1` is not below 2.0.
  return upper === undefined || upperIn || !new RegExp(`^${RegExp.escape(upper)}\\D`).test(version);
}

export function gradleFloor(text: string): string | undefined {
  const preferred = PREFERRED.exec(text)?.[2];
  if (preferred !== undefined) return preferred;
  const requirement = text.replace(/!!$/, "");
  const range = readRange(requirement);
  if (range) return range.lower;
  if (requirement.endsWith("+")) return requirement.replace(/[.\-_]?\+$/, "") || undefined;
  return isDynamic(requirement) ? undefined : requirement;
}

/** `requirement` changed to allow `version`, in the same form; one that allows it, or is not understood, stays as it is. */
export function raisedGradle(requirement: string, version: string): string {
  const [, limits, preferred] = PREFERRED.exec(requirement) ?? [];
  if (limits !== undefined && preferred !== undefined) {
    const raised = raisedGradle(limits, version);
    return gradleSatisfies(version, raised) ? `${raised}!!${version}` : requirement;
  }
  const strict = requirement.endsWith("!!") ? "!!" : "";
  const plain = strict === "" ? requirement : requirement.slice(0, -2);
  if (gradleSatisfies(version, plain)) return isDynamic(plain) ? requirement : version + strict;
  if (!isDynamic(plain)) return version + strict;
  if (plain.endsWith("+")) {
    const [, numbers = "", end = ""] = /^([\d.]*\d)([.\-_]?)\+$/.exec(plain) ?? [];
    const parts = version.split(/[.\-_]/).slice(0, numbers.split(".").length);
    return numbers === "" || end === "" ? requirement : `${parts.join(".")}${end}+${strict}`;
  }
  const range = readRange(plain);
  if (!range || range.upper === undefined) return requirement;
  const bound = range.upperIn ? version : boundAbove(version, range.upper);
  const at = plain.lastIndexOf(range.upper);
  const raised = plain.slice(0, at) + bound + plain.slice(at + range.upper.length);
  return gradleSatisfies(version, raised) ? raised + strict : requirement;
}

export const gradleVersioning: Versioning = {
  ...mavenVersioning,
  compare: compareGradle,
  satisfies: gradleSatisfies,
  floor: gradleFloor,
};
