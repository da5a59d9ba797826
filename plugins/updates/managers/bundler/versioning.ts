/** Versions of gems and what `~>` and its like allow, as RubyGems reads them. Letters make a prerelease. */
import type { Versioning } from "../contract.js";

const VERSION = /^\s*\d+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;
const CLAUSE = /^\s*(=|!=|>=|<=|~>|>|<)?\s*(\S+)\s*$/;

type Segment = number | string;

interface GemVersion {
  /** All numbers and words, in order. */
  readonly segments: readonly Segment[];
  /** Without the zeros at the end of the numbers, and of the words behind them: what is compared. */
  readonly canonical: readonly Segment[];
}

interface Clause {
  readonly operator: string;
  readonly version: string;
}

/** Sorting asks for the same versions again and again. Emptied when it is full. */
const read = new Map<string, GemVersion>();
const MOST = 20_000;

function readVersion(text: string): GemVersion {
  const known = read.get(text);
  if (known) return known;
  const segments = (
    text
      .trim()
      .replaceAll("-", ".pre.")
      .match(/[0-9]+|[a-z]+/gi) ?? []
  ).map((part): Segment => (/^\d/.test(part) ? Number(part) : part));
  const word = segments.findIndex((segment) => typeof segment === "string");
  const split = word < 0 ? segments.length : word;
  const canonical = [segments.slice(0, split), segments.slice(split)].flatMap(withoutZeros);
  const version = { segments, canonical };
  if (read.size >= MOST) read.clear();
  read.set(text, version);
  return version;
}

const withoutZeros = (segments: readonly Segment[]): readonly Segment[] =>
  segments.slice(0, segments.findLastIndex((segment) => segment !== 0) + 1);

function compare(a: string, b: string): number {
  const [first, second] = [readVersion(a).canonical, readVersion(b).canonical];
  for (let position = 0; position < Math.max(first.length, second.length); position += 1) {
    const [one, other] = [first[position] ?? 0, second[position] ?? 0];
    if (one === other) continue;
    if (typeof one !== typeof other) return typeof one === "string" ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

const isVersion = (text: string): boolean => VERSION.test(text);

const isPrerelease = (version: string): boolean => /[a-z-]/i.test(version);

const numbersOf = (version: string): readonly number[] => {
  const { segments } = readVersion(version);
  const word = segments.findIndex((segment) => typeof segment === "string");
  return (word < 0 ? segments : segments.slice(0, word)) as readonly number[];
};

/** The first version that `~> version` does not allow any more. */
function bumped(version: string): string {
  const numbers = numbersOf(version);
  const kept = numbers.length > 1 ? numbers.slice(0, -1) : numbers;
  return [...kept.slice(0, -1), (kept.at(-1) ?? 0) + 1].join(".");
}

/** Clauses between commas; undefined where one of them is none. */
export function clausesOf(requirement: string): readonly Clause[] | undefined {
  const clauses: Clause[] = [];
  for (const part of requirement.split(",")) {
    if (part.trim() === "") continue;
    const [, operator = "=", version = ""] = CLAUSE.exec(part) ?? [];
    if (!isVersion(version)) return undefined;
    clauses.push({ operator, version });
  }
  return clauses;
}

export function allowsClause({ operator, version: bound }: Clause, version: string): boolean {
  const order = compare(version, bound);
  if (operator === "=") return order === 0;
  if (operator === "!=") return order !== 0;
  if (operator === ">") return order > 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  if (operator === ">=") return order >= 0;
  // A prerelease of the next line does not belong to this one.
  return order >= 0 && compare(numbersOf(version).join("."), bumped(bound)) < 0;
}

export const gemVersioning: Versioning = {
  isVersion,
  compare,
  isPrerelease,
  numbers: (version) => {
    const [major, minor = 0, patch = 0] = numbersOf(version);
    return major === undefined ? undefined : [major, minor, patch];
  },
  satisfies: (version, requirement) =>
    clausesOf(requirement)?.every((clause) => allowsClause(clause, version)) ?? false,
  floor: (requirement) => {
    const clauses = clausesOf(requirement) ?? [];
    const bounds = clauses.filter(({ operator }) => /^(=|>=|~>)$/.test(operator));
    const [highest] = bounds.map(({ version }) => version).toSorted((a, b) => compare(b, a));
    return highest !== undefined && clauses.every((clause) => allowsClause(clause, highest))
      ? highest
      : undefined;
  },
};
