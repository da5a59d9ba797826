/**
 * Versions in Maven repositories, in the order of the POM reference's "Version Order Specification", as `ComparableVersion`
 * implements it. Gradle has its own order.
 */
import { compareText } from "../../text/text.js";
import { memoize } from "../../versions/memoize.js";
import type { Available, Dependency, Release, Versioning } from "../contract.js";
import { intervals } from "../intervals.js";

/** A number, a qualifier, or a list that starts at a hyphen or between letters and digits. */
type VersionItem = bigint | string | VersionList;
interface VersionList {
  readonly items: VersionItem[];
}

/** From the oldest to the newest; the empty one is the release itself. All others sort after `sp`, by their letters. */
const QUALIFIERS = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];
const RELEASE = QUALIFIERS.indexOf("");
const ALIASES: Readonly<Record<string, string>> = { ga: "", final: "", release: "", cr: "rc" };
const SHORT: Readonly<Record<string, string>> = { a: "alpha", b: "beta", m: "milestone" };

const isList = (item: VersionItem): item is VersionList => typeof item === "object";

/** A qualifier as a text that sorts; unknown ones come last. */
function rank(qualifier: string): string {
  const index = QUALIFIERS.indexOf(qualifier);
  return index === -1 ? `${QUALIFIERS.length}-${qualifier}` : `${index}`;
}

function isNothing(item: VersionItem): boolean {
  if (typeof item === "bigint") return item === 0n;
  if (typeof item === "string") return item === "";
  return item.items.length === 0;
}

/** Removes trailing zeros and release qualifiers: `1.0.0-final` is `1`. */
function trim({ items }: VersionList): void {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item === undefined) break;
    if (isNothing(item)) items.splice(at, 1);
    else if (!isList(item)) break;
  }
}

function word(text: string, digitFollows: boolean): string {
  const long = digitFollows && text.length === 1 ? (SHORT[text] ?? text) : text;
  return ALIASES[long] ?? long;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const read = memoize((version): VersionList => {
  const text = version.toLowerCase();
  const top: VersionList = { items: [] };
  const lists = [top];
  let list = top;
  let start = 0;
  let digits = false;
  const open = (): void => {
    const inner: VersionList = { items: [] };
    list.items.push(inner);
    list = inner;
    lists.push(inner);
  };
  const token = (end: number, digitFollows = false): VersionItem =>
    digits ? BigInt(text.slice(start, end)) : word(text.slice(start, end), digitFollows);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const character = text[at];
    if (character === "." || character === "-") {
      list.items.push(at === start ? 0n : token(at));
      start = at + 1;
      if (character === "-") open();
    } else if (isDigit(code)) {
      if (!digits && at > start) {
        // Letters before digits open a list: `1.x2` is `1-x-2`.
        if (list.items.length > 0) open();
        list.items.push(token(at, true));
        start = at;
        open();
      }
      digits = true;
    } else {
      if (digits && at > start) {
        list.items.push(token(at));
        start = at;
        open();
      }
      digits = false;
    }
  }
  if (text.length > start) {
    if (!digits && list.items.length > 0) open();
    list.items.push(token(text.length));
  }
  for (const each of lists.toReversed()) trim(each);
  return top;
});

function compareItems(a: VersionItem | undefined, b: VersionItem | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -compareItems(b, undefined);
  if (typeof a === "bigint") {
    if (b === undefined) return a === 0n ? 0 : 1;
    if (typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
    return 1; // 1.1 > 1-sp, 1.1 > 1-1
  }
  if (typeof a === "string") {
    if (b === undefined) return compareText(rank(a), `${RELEASE}`);
    if (typeof b === "string") return compareText(rank(a), rank(b));
    return -1; // 1.any < 1.1, 1.any < 1-1
  }
  if (b === undefined) {
    for (const item of a.items) {
      const result = compareItems(item, undefined);
      if (result !== 0) return result;
    }
    return 0;
  }
  if (typeof b === "bigint") return -1; // 1-1 < 1.0.x
  if (typeof b === "string") return 1; // 1-1 > 1-sp
  const length = Math.max(a.items.length, b.items.length);
  for (let at = 0; at < length; at += 1) {
    const result = compareItems(a.items[at], b.items[at]);
    if (result !== 0) return result;
  }
  return 0;
}

/** Negative where `a` is older than `b`. */
export const compareMaven = (a: string, b: string): number => compareItems(read(a), read(b));

export const {
  satisfies: mavenSatisfies,
  floor: mavenFloor,
  raised: raisedMaven,
} = intervals(compareMaven);

/** Words that publishers use for prereleases. */
const UNFINISHED =
  /(?:^|[.\-_+\d])(?:alpha|beta|milestone|rc|cr|snapshot|preview|pre|prerelease|dev|ea|eap|incubating-snapshot|nightly|canary|a|b|m)(?=$|[.\-_+\d])/i;

/** The first version of a release train, which has no digit: `Hoxton.RELEASE`. */
const TRAIN = /^(?!latest\.)[a-z]+\.(?:release|ga|final)$/i;

/** Does a version or a range name at least one version? `LATEST` and `RELEASE` name none. */
export const namesVersion = (text: string): boolean => /\d/.test(text) || TRAIN.test(text);

const isVersion = (text: string): boolean => /^[\w.+-]{1,200}$/.test(text) && namesVersion(text);

export const mavenVersioning: Versioning = {
  isVersion,
  compare: compareMaven,
  isPrerelease: (version) => UNFINISHED.test(version),
  numbers: (version) => {
    const [, major, minor = "0", patch = "0"] =
      /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?![\d])/.exec(version) ?? [];
    return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
  },
  satisfies: mavenSatisfies,
  floor: mavenFloor,
};

/** The platform that a version is built for: `-jre`, `-android`, `jdk8`. */
function flavour(version: string): string {
  if (!/[a-z]/i.test(version)) return "";
  const words = version.toLowerCase().match(/[a-z]+\d*/g) ?? [];
  return words
    .filter((word) =>
      /^(?:jre|android|jdk|java|jakarta|javax|native|scala|spark|hadoop)\d*$/.test(word),
    )
    .join("-");
}

/** Some projects once used dates (20040616), which sort above all later versions. */
const isDate = (version: string): boolean => /^\d{8}(?:\D|$)/.test(version);

export function mavenComparable(
  { current }: Dependency,
  { releases }: Available,
): readonly Release[] {
  const usable = releases.filter(
    ({ version }) => isVersion(version) && !/-SNAPSHOT$/i.test(version),
  );
  if (current === undefined) return usable;
  return usable.filter(
    ({ version }) => flavour(version) === flavour(current) && (isDate(current) || !isDate(version)),
  );
}
