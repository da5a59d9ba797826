/**
 * Requirements as dep reads them: a comparison or several (`,` is "and", `||` is "or"), a span (`1.1 - 2`), `x` for any number. A
 * bare version means `^`, and below 1.0.0 that is the same minor version. The oldest that is allowed may be a prerelease, and then
 * others of the same version are allowed, too.
 */
import semver from "semver";

const NUMBERS = String.raw`(\d+)(?:\.(\d+))?(?:\.(\d+))?`;
const REST = String.raw`(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`;
const VERSION = new RegExp(`^v?${NUMBERS}${REST}$`);
const PLACE = String.raw`v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}`;
const SPAN = new RegExp(`\\s*(${PLACE})\\s*-\\s*(${PLACE}${REST})\\s*`, "g");
const COMPARATOR = new RegExp(
  String.raw`^\s*(=>|>=|=<|<=|!=|[=<>~^]?)\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?${REST}\s*$`,
);

/** Sorting asks for the same versions again and again. Both are emptied when they are full. */
const read = new Map<string, semver.SemVer | null>();
const known = new Map<string, readonly Range[] | undefined>();
const MOST = 20_000;

/** `v1.2` is 1.2.0. */
export function readDep(text: string): semver.SemVer | null {
  const before = read.get(text);
  if (before !== undefined) return before;
  if (read.size >= MOST) read.clear();
  const version = parsed(text);
  read.set(text, version);
  return version;
}

function parsed(text: string): semver.SemVer | null {
  const [, major, minor = "0", patch = "0", pre = ""] = VERSION.exec(text) ?? [];
  if (major === undefined) return null;
  const numbers = [major, minor, patch].map(Number);
  return semver.parse(`${numbers.join(".")}${pre}`, { loose: true });
}

interface Comparator {
  readonly allows: (version: semver.SemVer) => boolean;
  readonly least: semver.SemVer;
}

type Range = readonly Comparator[];

/** Undefined for what dep would not read. */
function readRanges(requirement: string): readonly Range[] | undefined {
  if (known.has(requirement)) return known.get(requirement);
  if (known.size >= MOST) known.clear();
  const ranges = requirement
    .replace(SPAN, (whole, low: string, high: string) =>
      // With its `v` it is a prerelease: `v1.1.0-12`.
      whole.startsWith("v") && VERSION.test(whole) ? whole : `>= ${low}, <= ${high}`,
    )
    .split("||")
    .map((part) => part.split(",").map(readComparator));
  const whole = ranges.every((range): range is Comparator[] => !range.includes(undefined));
  const result = whole ? (ranges as readonly Range[]) : undefined;
  known.set(requirement, result);
  return result;
}

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

export function depSatisfies(text: string, requirement: string): boolean {
  const version = readDep(text);
  if (!version) return false;
  return (
    readRanges(requirement)?.some((range) => range.every(({ allows }) => allows(version))) ?? false
  );
}

/** The oldest version of the oldest alternative; undefined for what dep would not read. */
export function depFloor(requirement: string): string | undefined {
  const floors = readRanges(requirement)?.map((range) =>
    range.map(({ least }) => least).reduce((a, b) => (a.compare(b) >= 0 ? a : b)),
  );
  return floors?.toSorted((a, b) => a.compare(b))[0]?.version;
}
