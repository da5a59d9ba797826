/** The order of NuGet's versions: up to four numbers, then as semver, letters being the same large and small. */

export interface Version {
  readonly numbers: readonly [number, number, number, number];
  /** As written; empty for what is finished. */
  readonly label: string;
}

const LARGEST = 2 ** 31 - 1;
const LABEL = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const PATTERN = new RegExp(
  `^(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${LABEL}))?(?:\\+${LABEL})?$`,
);

/** Sorting asks for the same versions again and again. Emptied when it is full. */
const known = new Map<string, Version | undefined>();
const MOST = 20_000;

/** Undefined for what is no version. */
export function readNugetVersion(text: string): Version | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= MOST) known.clear();
  const version = read(text.trim());
  known.set(text, version);
  return version;
}

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

export function compareNumbers(a: Version, b: Version): number {
  for (const [index, number] of a.numbers.entries()) {
    const order = number - (b.numbers[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

export function compareNuget(a: string, b: string): number {
  const [first, second] = [readNugetVersion(a), readNugetVersion(b)];
  if (!first || !second) return a < b ? -1 : a > b ? 1 : 0;
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

/** What is no number of 32 bits, with its sign, goes by its letters. */
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
  return a < b ? -1 : a > b ? 1 : 0;
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
