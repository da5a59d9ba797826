/** Versions of runtimes: numbers with dots, as many as a file has. */
import { tagVersioning } from "../../versions/tag.js";
import type { Declaration, Dependency, Release, Versioning } from "../contract.js";
import { runtimeOf } from "./table.js";

export const runtimeVersioning: Versioning = {
  ...tagVersioning,
  isVersion: (text) => /^\d+(\.\d+)*$/.test(text),
  floor: (requirement) => /^\d+(\.\d+)*(?=-|@|$)/.exec(requirement)?.[0],
  satisfies: (version, requirement) => version === requirement,
};

export const numbersOf = (version: string): readonly number[] => version.split(".").map(Number);

export const shortened = (version: string, depth: number): string =>
  version.split(".").slice(0, depth).join(".");

/** What a file says about a version beside its numbers. */
export interface WrittenVersion {
  /** The numbers. */
  readonly version: string;
  /** The tag of an image after the numbers. */
  readonly suffix: string;
  readonly isPinned: boolean;
}

export function writtenVersion({ requirement, extra }: Declaration): WrittenVersion {
  const [, version = requirement, tail = ""] = /^(\d+(?:\.\d+)*)([^@]*)/.exec(requirement) ?? [];
  return { version, suffix: tail + (extra?.after ?? ""), isPinned: requirement.includes("@") };
}

/** With as many numbers as the file has. Never older than the file's. */
export function versionIn(declaration: Declaration, to: string): string {
  const { version } = writtenVersion(declaration);
  const next = shortened(to, numbersOf(version).length);
  return runtimeVersioning.compare(next, version) > 0 ? next : version;
}

/** The new value of a declaration; digests and checksums come from `Release.pin`. */
export function runtimeRequirement(
  declaration: Declaration,
  { version: to, pin }: Release,
): string {
  const { version, suffix, isPinned } = writtenVersion(declaration);
  const next = versionIn(declaration, to);
  if (next === version) return declaration.requirement;
  const { before = "", after = "", image, packaged } = declaration.extra ?? {};
  if (packaged !== undefined) return next + (pinOf(pin, packaged, next) ?? "");
  const written = `${next}${suffix.slice(0, suffix.length - after.length)}`;
  if (!isPinned || image === undefined) return written;
  const digest = pinOf(pin, image, `${before}${next}${suffix}`);
  return digest === undefined ? written : `${written}@${digest}`;
}

export const pinKey = (name: string, version: string): string => `${name}@${version}`;

/** `Release.pin` is JSON with the digests of all images and the checksums of all packages, or one for all. */
function pinOf(pin: string | undefined, name: string, version: string): string | undefined {
  if (pin?.startsWith("{") !== true) return pin;
  return (JSON.parse(pin) as Record<string, string>)[pinKey(name, version)];
}

/** The releases of the same precision as the current version that the runtime offers for it. */
export function runtimeComparable(
  { name, current = "" }: Dependency,
  releases: readonly Release[],
): readonly Release[] {
  const own = numbersOf(current);
  const offers = runtimeOf(name)?.offers ?? (() => true);
  const precise = releases.filter(
    ({ version }) =>
      runtimeVersioning.isVersion(version) && numbersOf(version).length >= own.length,
  );
  const groups = Map.groupBy(precise, ({ version }) => shortened(version, own.length));
  return [...groups]
    .filter(([version]) => offers(numbersOf(version), own))
    .map(([version, group]) => ({ ...oldest(group), version }));
}

/** Of those that are not withdrawn: `24` is as old as the first release of 24. */
function oldest(group: readonly Release[]): Release {
  const usable = group.filter(({ withdrawn }) => withdrawn === undefined);
  const [first] = (usable.length > 0 ? usable : group).toSorted(
    (a, b) => (a.published ?? Infinity) - (b.published ?? Infinity),
  );
  return first as Release;
}
