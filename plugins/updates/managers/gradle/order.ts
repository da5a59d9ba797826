/** The order of versions as Gradle's user manual describes it ("Declaring versions and ranges: version ordering"). */

/** Words above all others, from the oldest to the newest; `dev` is below all others. */
const SPECIAL = ["rc", "snapshot", "final", "ga", "release", "sp"];

/** Digits that make more than this are a word to Gradle. */
const LARGEST = 2n ** 63n - 1n;

type Part = bigint | string;

/** Sorting asks for the same versions again and again. Emptied when it is full. */
const known = new Map<string, readonly Part[]>();
const MOST = 20_000;

function read(version: string): readonly Part[] {
  const before = known.get(version);
  if (before) return before;
  if (known.size >= MOST) known.clear();
  const parts = version
    .split(/[.\-_+]|(?<=\d)(?=[^\d.\-_+])|(?<=[^\d.\-_+])(?=\d)/)
    .map((part) => (/^\d+$/.test(part) && BigInt(part) <= LARGEST ? BigInt(part) : part));
  known.set(version, parts);
  return parts;
}

function rank(word: string): number {
  const lower = word.toLowerCase();
  return lower === "dev" ? -1 : SPECIAL.indexOf(lower) + 1;
}

function compareParts(a: Part, b: Part): number {
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
  // One more number is more; one more word is less: 1.1.a < 1.1 < 1.1.0.
  const more = first[length] ?? second[length];
  if (more === undefined) return 0;
  const sign = first.length > length ? 1 : -1;
  return typeof more === "bigint" ? sign : -sign;
}
