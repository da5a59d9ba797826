/** Versions as PEP 440 reads and orders them, each read once: sorting asks for the same ones again and again. */
import * as pep440 from "@renovatebot/pep440";

export type Parsed = NonNullable<ReturnType<typeof pep440.parse>>;

interface Known {
  readonly parsed: Parsed | null;
  /** Epoch and release; then what comes before, after and beside it. */
  readonly release: readonly number[];
  readonly rest: readonly number[];
  readonly local: readonly (string | number)[] | undefined;
}

/** Emptied when it is full. */
const read = new Map<string, Known>();
const MOST = 20_000;

function known(text: string): Known {
  const before = read.get(text);
  if (before) return before;
  if (read.size >= MOST) read.clear();
  const now = keyOf(pep440.parse(text));
  read.set(text, now);
  return now;
}

export const readPythonVersion = (text: string): Parsed | null => known(text).parsed;

const LETTERS = ["a", "b", "rc"];

function keyOf(parsed: Parsed | null): Known {
  if (!parsed) return { parsed, release: [], rest: [], local: undefined };
  const { epoch, release, pre, post, dev, local } = parsed;
  const last = release.findLastIndex((number) => number !== 0);
  const [letter, count] = pre ?? [];
  // A dev version of a release is before its alphas.
  const early = pre ? LETTERS.indexOf(String(letter)) : !post && dev ? -1 : LETTERS.length;
  return {
    parsed,
    release: [epoch, ...release.slice(0, last + 1)],
    rest: [
      early,
      Number(count ?? 0),
      post ? Number(post[1] ?? 0) : -1,
      dev ? Number(dev[1] ?? 0) : Infinity,
    ],
    local: (local as readonly (string | number)[] | null) ?? undefined,
  };
}

/** Negative where `a` is older; 0 for what is no version. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [known(a), known(b)];
  if (!first.parsed || !second.parsed) return 0;
  const length = Math.max(first.release.length, second.release.length);
  for (let position = 0; position < length; position += 1) {
    const difference = (first.release[position] ?? 0) - (second.release[position] ?? 0);
    if (difference !== 0) return difference;
  }
  for (const [position, number] of first.rest.entries()) {
    const other = second.rest[position] ?? 0;
    if (number !== other) return number < other ? -1 : 1;
  }
  return compareLocal(first.local, second.local);
}

/** None is before any; numbers are after words. */
function compareLocal(a: Known["local"], b: Known["local"]): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  for (const [position, part] of a.entries()) {
    const other = b[position];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (typeof part === typeof other) return part < other ? -1 : 1;
    return typeof part === "number" ? 1 : -1;
  }
  return a.length - b.length;
}

/** An alpha, a beta, a candidate or a dev version. */
export const isEarly = (text: string): boolean => {
  const parsed = readPythonVersion(text);
  return Boolean(parsed?.pre ?? parsed?.dev);
};
