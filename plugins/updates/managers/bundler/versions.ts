/** Versions and requirements of RubyGems. Letters make a prerelease. */

import { memoize } from "../../versions/memoize.js";
import { nextBound } from "../bounds.js";
import type { Strategy, Versioning } from "../contract.js";

const VERSION = /^\s*\d+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;
const CLAUSE = /^\s*(=|!=|>=|<=|~>|>|<)?\s*(\S+)\s*$/;

type Segment = number | string;

interface GemVersion {
  readonly segments: readonly Segment[];
  /** Without trailing zeros, for comparison. */
  readonly canonical: readonly Segment[];
}

interface Clause {
  readonly operator: string;
  readonly version: string;
}

const readVersion = memoize((text): GemVersion => {
  const segments = (
    text
      .trim()
      .replaceAll("-", ".pre.")
      .match(/[0-9]+|[a-z]+/gi) ?? []
  ).map((part): Segment => (/^\d/.test(part) ? Number(part) : part));
  const word = segments.findIndex((segment) => typeof segment === "string");
  const split = word < 0 ? segments.length : word;
  const canonical = [segments.slice(0, split), segments.slice(split)].flatMap(withoutZeros);
  return { segments, canonical };
});

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

/** The first version that `~> version` excludes. */
function bumped(version: string): string {
  const numbers = numbersOf(version);
  const kept = numbers.length > 1 ? numbers.slice(0, -1) : numbers;
  return [...kept.slice(0, -1), (kept.at(-1) ?? 0) + 1].join(".");
}

/** The clauses of a requirement; undefined where one is invalid. */
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

function allowsClause({ operator, version: bound }: Clause, version: string): boolean {
  const order = compare(version, bound);
  if (operator === "=") return order === 0;
  if (operator === "!=") return order !== 0;
  if (operator === ">") return order > 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  if (operator === ">=") return order >= 0;
  // A prerelease of the next version is outside.
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

interface Variant {
  readonly platform: string;
}

export function bestFor<Kind extends Variant>(
  platform: string,
  variants: readonly Kind[],
): Kind | undefined {
  const fitting = variants.filter(
    (variant) => variant.platform !== "ruby" && fits(variant.platform, platform),
  );
  // The most specific platform: `x86_64-linux-gnu` before `x86_64-linux`.
  const [best] = fitting.toSorted((a, b) => b.platform.length - a.platform.length);
  return best ?? variants.find((variant) => variant.platform === "ruby");
}

interface Machine {
  readonly cpu: string;
  readonly system: string;
  readonly version: string | undefined;
}

function machineOf(platform: string): Machine {
  const [cpu = "", system, version] = platform.replace(/-gnu$/, "").split("-");
  // `java`, `mingw32`: only the system.
  if (system === undefined) return { cpu: "", system: cpu, version: undefined };
  const [, name = system, number] = /^(darwin|mingw|mswin)(\d+)?$/.exec(system) ?? [];
  return { cpu: /^i\d86$/.test(cpu) ? "x86" : cpu, system: name, version: number ?? version };
}

/** Can a gem for `offered` run on `wanted`? */
function fits(offered: string, wanted: string): boolean {
  if (offered === wanted) return true;
  if (wanted === "ruby") return false;
  const [gem, machine] = [machineOf(offered), machineOf(wanted)];
  return (
    gem.system === machine.system &&
    (gem.cpu === machine.cpu || gem.cpu === "" || gem.cpu === "universal") &&
    (gem.version === undefined || gem.version === machine.version)
  );
}

/** `requirement` is one text of a Gemfile; there may be others: `gem "x", ">= 1", "< 3"`. */
export function gemRequirement(requirement: string, to: string, strategy: Strategy): string {
  const clauses = clausesOf(requirement);
  if (strategy === "lockfile_only" || !clauses || clauses.length === 0) return requirement;
  const allowed = clauses.every((clause) => allowsClause(clause, to));
  if (allowed && strategy !== "bump_versions") return requirement;
  if (strategy === "widen_ranges") return widened(requirement, to);
  return requirement
    .split(",")
    .map((part) => moved(part, to))
    .join(",");
}

function moved(part: string, to: string): string {
  const [clause] = clausesOf(part) ?? [];
  if (!clause) return part;
  const { operator, version } = clause;
  const put = (next: string): string => part.replace(version, next);
  if (operator === "~>") return put(precise(version, to));
  if (operator === "=") return put(to);
  if (allowsClause(clause, to)) return part;
  if (operator === "<") return put(above(version, to));
  if (operator === "<=") return put(to);
  return part;
}

/** Everything allowed before stays allowed. */
function widened(requirement: string, to: string): string {
  const clauses = clausesOf(requirement) ?? [];
  const [only] = clauses;
  if (clauses.length === 1 && only?.operator === "~>") {
    const numbers = only.version.split(".");
    return `>= ${only.version}, < ${above(numbers.slice(0, Math.max(1, numbers.length - 1)).join("."), to)}`;
  }
  if (clauses.length === 1 && only?.operator === "=")
    return `>= ${only.version}, < ${above(only.version.split(".")[0] ?? "0", to)}`;
  return requirement
    .split(",")
    .map((part) => (/[~=]/.test(part.replace(/[<>!]=/, "")) ? part : moved(part, to)))
    .join(",");
}

/** Keeps the count of numbers; a prerelease is written in full. */
function precise(old: string, to: string): string {
  if (gemVersioning.isPrerelease(to)) return to;
  const numbers = to.split(".");
  return old
    .split(".")
    .filter((part) => /^\d+$/.test(part))
    .map((_, position) => numbers[position] ?? "0")
    .join(".");
}

function above(old: string, to: string): string {
  const numbers = to.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const parts = old.split(".").map((part) => Number.parseInt(part, 10) || 0);
  return nextBound(parts, numbers).join(".");
}
