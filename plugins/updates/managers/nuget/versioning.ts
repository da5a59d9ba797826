/** NuGet's versions: up to four numbers, then as semver, letters being the same large and small. */
import type { Versioning } from "../contract.js";
import { intervals } from "../intervals.js";

interface Version {
  readonly numbers: readonly [number, number, number, number];
  readonly labels: readonly string[];
}

const PATTERN =
  /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$/;

/** Sorting asks for the same versions again and again. Emptied when it is full. */
const known = new Map<string, Version | null>();
const MOST = 20_000;

function read(text: string): Version | null {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST) known.clear();
  const match = PATTERN.exec(text);
  const part = (index: number): number => Number(match?.[index] ?? 0);
  const version = match && {
    numbers: [part(1), part(2), part(3), part(4)] as const,
    labels: match[5]?.toLowerCase().split(".") ?? [],
  };
  known.set(text, version);
  return version;
}

export function compareNuget(a: string, b: string): number {
  const [first, second] = [read(a), read(b)];
  if (!first || !second) return a < b ? -1 : a > b ? 1 : 0;
  for (const [index, number] of first.numbers.entries()) {
    const order = number - (second.numbers[index] ?? 0);
    if (order !== 0) return order;
  }
  if (first.labels.length === 0 || second.labels.length === 0)
    return second.labels.length - first.labels.length;
  const length = Math.max(first.labels.length, second.labels.length);
  for (let at = 0; at < length; at += 1) {
    const order = compareLabels(first.labels[at], second.labels[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareLabels(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [first, second] = [a, b].map((label) => (/^\d+$/.test(label) ? BigInt(label) : undefined));
  if (first !== undefined && second !== undefined)
    return first < second ? -1 : first > second ? 1 : 0;
  if (first !== undefined) return -1;
  if (second !== undefined) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `1.0` and `1.0.0.0` are one version, written `1.0.0`. */
export function normalised(text: string): string {
  const version = read(text);
  if (!version) return text;
  const [major, minor, patch, revision] = version.numbers;
  const numbers = [major, minor, patch, ...(revision === 0 ? [] : [revision])].join(".");
  const label = /^[^+-]*(-[^+]*)/.exec(text)?.[1] ?? "";
  return numbers + label;
}

const FLOATING = /\*/;
const ranges = intervals(compareNuget);

export const nugetVersioning: Versioning = {
  isVersion: (text) => read(text) !== null,
  compare: compareNuget,
  isPrerelease: (version) => (read(version)?.labels.length ?? 0) > 0,
  numbers: (version) => {
    const parsed = read(version);
    return parsed ? [parsed.numbers[0], parsed.numbers[1], parsed.numbers[2]] : undefined;
  },
  satisfies: (version, requirement) => {
    if (!FLOATING.test(requirement)) return ranges.satisfies(version, requirement);
    const wanted = /^([\d.]*)\*(-\*)?$/.exec(requirement.trim());
    if (!wanted) return false;
    if (wanted[2] === undefined && nugetVersioning.isPrerelease(version)) return false;
    return `${version}.`.startsWith(wanted[1] ?? "");
  },
  floor: (requirement) =>
    FLOATING.test(requirement)
      ? /^(\d[\d.]*\d|\d)\.\*/.exec(requirement)?.[1]
      : ranges.floor(requirement),
};

/** `1.2.*` → `3.4.*` for 3.4.5; everything else as intervals go. */
export function raisedNuget(requirement: string, version: string): string {
  if (!FLOATING.test(requirement)) return ranges.raised(requirement, version);
  if (nugetVersioning.satisfies(version, requirement)) return requirement;
  const [, numbers = "", end = ""] = /^([\d.]*\d)(\.\*(?:-\*)?)$/.exec(requirement) ?? [];
  if (numbers === "") return requirement;
  const parts = normalised(version).split(/[.-]/).slice(0, numbers.split(".").length);
  return parts.join(".") + end;
}
