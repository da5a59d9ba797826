/**
 * Versions and requirements of dep. A version is a tag of one to three numbers, with or without a `v`. A requirement is a list of
 * comparisons: `,` means "and", `||` means "or", `1.1 - 2` is a span and `x` any number. A bare version means `^`; below 1.0.0 that
 * keeps the minor version. Prereleases match only where the lowest allowed version is a prerelease of the same three numbers.
 * An update writes requirements as Cargo does.
 */
import semver from "semver";
import { memoize } from "../../versions/memoize.js";
import { cargoRequirement } from "../cargo/versions.js";
import type { Strategy, Versioning } from "../contract.js";

const NUMBERS = String.raw`(\d+)(?:\.(\d+))?(?:\.(\d+))?`;
const REST = String.raw`(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`;
const VERSION = new RegExp(`^v?${NUMBERS}${REST}$`);
const COMPONENT = String.raw`v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}`;
const SPAN = new RegExp(`\\s*(${COMPONENT})\\s*-\\s*(${COMPONENT}${REST})\\s*`, "g");
const COMPARATOR = new RegExp(
  String.raw`^\s*(=>|>=|=<|<=|!=|[=<>~^]?)\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?${REST}\s*$`,
);

/** `v1.2` is 1.2.0. */
const readDep = memoize((text): semver.SemVer | null => {
  const [, major, minor = "0", patch = "0", pre = ""] = VERSION.exec(text) ?? [];
  if (major === undefined) return null;
  const numbers = [major, minor, patch].map(Number);
  return semver.parse(`${numbers.join(".")}${pre}`, { loose: true });
});

interface Comparator {
  readonly allows: (version: semver.SemVer) => boolean;
  readonly least: semver.SemVer;
}

type DepRange = readonly Comparator[];

/** Undefined for what dep rejects. */
const readRanges = memoize((requirement): readonly DepRange[] | undefined => {
  const ranges = requirement
    .replace(SPAN, (whole, low: string, high: string) =>
      // With its `v` it is a prerelease: `v1.1.0-12`.
      whole.startsWith("v") && VERSION.test(whole) ? whole : `>= ${low}, <= ${high}`,
    )
    .split("||")
    .map((part) => part.split(",").map(readComparator));
  return ranges.every((range): range is Comparator[] => !range.includes(undefined))
    ? ranges
    : undefined;
});

function readComparator(text: string): Comparator | undefined {
  const [, sign = "", major = "", minor = "0", patch = "0", pre = ""] = COMPARATOR.exec(text) ?? [];
  if (major === "") return undefined;
  const wild = (part: string): boolean => /^[xX*]$/.test(part);
  const zero = new semver.SemVer("0.0.0");
  if (wild(major)) return { allows: () => true, least: zero };
  const [anyMinor, anyPatch] = [wild(minor), wild(minor) || wild(patch)];
  const numbers = [major, anyMinor ? "0" : minor, anyPatch ? "0" : patch].map(Number);
  const low = semver.parse(`${numbers.join(".")}${pre}`, { loose: true });
  if (!low) return undefined;
  const next = (bump: "major" | "minor"): semver.SemVer =>
    semver.parse(bump === "major" ? `${low.major + 1}.0.0` : `${low.major}.${low.minor + 1}.0`) ??
    low;
  const caret = next(low.major === 0 ? "minor" : "major");
  const beyond = anyMinor ? next("major") : next("minor");
  const from = (least: semver.SemVer, top?: semver.SemVer): Comparator => ({
    least,
    allows: (version) =>
      version.compare(least) >= 0 &&
      (top === undefined || version.compare(top) < 0) &&
      (version.prerelease.length === 0 ||
        (least.prerelease.length > 0 && version.compareMain(least) === 0)),
  });
  const finished = (test: (version: semver.SemVer) => boolean): Comparator => ({
    least: zero,
    allows: (version) => version.prerelease.length === 0 && test(version),
  });
  if (sign === "" || sign === "^") return from(low, caret);
  if (sign === "~") return from(low, anyMinor ? caret : next("minor"));
  if (sign === "=" && anyPatch) return from(low, anyMinor ? caret : next("minor"));
  if (sign === "=") return { least: low, allows: (version) => version.compare(low) === 0 };
  if (sign === "!=" && anyPatch)
    return finished((version) => version.compare(low) < 0 || version.compare(beyond) >= 0);
  if (sign === "!=") return { least: zero, allows: (version) => version.compare(low) !== 0 };
  if (sign === ">" && anyPatch) return from(beyond);
  if (sign === ">") {
    const { allows } = from(low);
    const least = low.prerelease.length > 0 ? low : new semver.SemVer(low).inc("patch");
    return { least, allows: (version) => allows(version) && version.compare(low) > 0 };
  }
  if (sign === ">=" || sign === "=>") return from(low);
  if (sign === "<") return finished((version) => version.compare(low) < 0);
  const top = anyPatch ? beyond : low;
  return finished((version) => version.compare(top) < (anyPatch ? 0 : 1));
}

function depSatisfies(text: string, requirement: string): boolean {
  const version = readDep(text);
  if (!version) return false;
  return (
    readRanges(requirement)?.some((range) => range.every(({ allows }) => allows(version))) ?? false
  );
}

/** The lowest version of the lowest alternative; undefined for what dep rejects. */
function depFloor(requirement: string): string | undefined {
  const floors = readRanges(requirement)?.map((range) =>
    range.map(({ least }) => least).reduce((a, b) => (a.compare(b) >= 0 ? a : b)),
  );
  return floors?.toSorted((a, b) => a.compare(b))[0]?.version;
}

export const depVersioning: Versioning = {
  isVersion: (text) => readDep(text) !== null,
  compare: (a, b) => {
    const [first, second] = [readDep(a), readDep(b)];
    return first && second ? first.compare(second) : 0;
  },
  isPrerelease: (version) => (readDep(version)?.prerelease.length ?? 0) > 0,
  numbers: (version) => {
    const read = readDep(version);
    return read ? [read.major, read.minor, read.patch] : undefined;
  },
  satisfies: depSatisfies,
  floor: depFloor,
};

/** Without the `v` of tags. */
const bare = (text: string): string => text.replace(/(^|[\s,^~<>=|-])v(?=\d)/g, "$1");

/** Operators, precision and `v` stay as they are. */
export function depRequirement(requirement: string, tag: string, strategy: Strategy): string {
  const to = readDep(tag)?.version;
  if (to === undefined || strategy === "lockfile_only" || depFloor(requirement) === undefined)
    return requirement;
  const allowed = depSatisfies(to, requirement);
  if (allowed && (strategy !== "bump_versions" || /[|<!]|\d\s*-\s*v?\d/.test(requirement)))
    return requirement;
  if (requirement.includes("||")) return `${requirement} || ^${to}`;
  const span = /^(.*\d\s*-\s*)v?[\d.]+(\s*)$/.exec(requirement);
  if (span) return `${span[1]}${to}${span[2]}`;
  const parts = bare(requirement)
    .replace(/=([<>])/g, "$1=")
    .split(",");
  const moving = parts.filter((part) => !part.includes("!="));
  const next = [
    cargoRequirement(moving.join(","), to, strategy),
    ...parts.filter((part) => part.includes("!=")),
  ].join(",");
  const written =
    bare(requirement) === requirement ? next : next.replace(/(^|[\s,^~<>=])(?=\d)/, "$1v");
  return depSatisfies(to, written) ? written : `^${to}`;
}
