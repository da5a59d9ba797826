/** Versions as Maven orders them. */
import type { Available, Dependency, Release, Versioning } from "../contract.js";
import { compareMaven } from "./order.js";
import { mavenFloor, mavenSatisfies } from "./ranges.js";

/** Words that publishers use for what is not meant for everybody yet. */
const UNFINISHED =
  /(?:^|[.\-_+\d])(?:alpha|beta|milestone|rc|cr|snapshot|preview|pre|prerelease|dev|ea|eap|incubating-snapshot|nightly|canary|a|b|m)(?=$|[.\-_+\d])/i;

const isVersion = (text: string): boolean => /^[\w.+-]{1,200}$/.test(text) && /\d/.test(text);

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

/** What tells versions of the same release apart that are made for different platforms: `-jre`, `-android`, `jdk8`. */
function flavour(version: string): string {
  if (!/[a-z]/i.test(version)) return "";
  const words = version.toLowerCase().match(/[a-z]+\d*/g) ?? [];
  return words
    .filter((word) =>
      /^(?:jre|android|jdk|java|jakarta|javax|native|scala|spark|hadoop)\d*$/.test(word),
    )
    .join("-");
}

/** Some projects once had dates for versions (20040616), which are above everything that came later. */
const dated = (version: string): boolean => /^\d{8}(?:\D|$)/.test(version);

export function mavenComparable(
  { current }: Dependency,
  { releases }: Available,
): readonly Release[] {
  const usable = releases.filter(
    ({ version }) => isVersion(version) && !/-SNAPSHOT$/i.test(version),
  );
  if (current === undefined) return usable;
  return usable.filter(
    ({ version }) => flavour(version) === flavour(current) && (dated(current) || !dated(version)),
  );
}
