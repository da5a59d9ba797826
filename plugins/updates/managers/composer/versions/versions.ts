/** Versions as Composer normalizes them, in the order of PHP's `version_compare`. */
import { memoize } from "../../../versions/memoize.js";
import type { Versioning } from "../../contract.js";

const MODIFIER = "[._-]?(?:(stable|beta|b|RC|alpha|a|patch|pl|p)((?:[.-]?\\d+)*)?)?([.-]?dev)?";
const CLASSIC = new RegExp(`^v?(\\d{1,5})(\\.\\d+)?(\\.\\d+)?(\\.\\d+)?${MODIFIER}$`, "i");
const DATED = new RegExp(`^v?(\\d{4}(?:[.:-]?\\d{2}){1,6}(?:[.:-]?\\d{1,3})?)${MODIFIER}$`, "i");

const FULL: Readonly<Record<string, string>> = {
  a: "alpha",
  b: "beta",
  p: "patch",
  pl: "patch",
  rc: "RC",
};

/** `v1.2-rc.3` → `1.2.0.0-RC3`; undefined for branches and other texts. */
export const normalized = memoize((text) =>
  normalize(text.trim().replace(/^([^,\s+]+)\+\S+$/, "$1")),
);

function normalize(text: string): string | undefined {
  const classic = CLASSIC.exec(text);
  if (classic) {
    const [, major, minor = ".0", patch = ".0", fourth = ".0", ...modifier] = classic;
    return `${major}${minor}${patch}${fourth}${suffix(modifier)}`;
  }
  const dated = DATED.exec(text);
  if (!dated) return undefined;
  const [, date = "", ...modifier] = dated;
  return date.replace(/\D/g, ".") + suffix(modifier);
}

function suffix([stability = "", number = "", dev = ""]: readonly (string | undefined)[]): string {
  const word = stability.toLowerCase();
  if (word === "stable") return "";
  const own = word === "" ? "" : `-${FULL[word] ?? word}${number.replace(/^[.-]+/, "")}`;
  return `${own}${dev === "" ? "" : "-dev"}`;
}

/** Compares normalized versions. */
function compareNormalized(a: string, b: string): number {
  if (a === b) return 0;
  const [first, second] = [keyOf(a), keyOf(b)];
  for (let position = 0; position < Math.max(first.length, second.length); position += 1) {
    const difference = (first[position] ?? END) - (second[position] ?? END);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** Ranks of words; `#` is a number. */
const RANKS = ["dev", "alpha", "beta", "RC", "#", "p"];
const STEP = 1e15;
const NUMBER = RANKS.indexOf("#") * STEP;
/** One version is longer: a further number makes it newer, a word compares with a number. */
const END = NUMBER - 1;

const keyOf = memoize((version): readonly number[] =>
  version
    .replace(/[-_+]/g, ".")
    .replace(/(\d)([^\d.])/g, "$1.$2")
    .replace(/([^\d.])(\d)/g, "$1.$2")
    .split(".")
    .map((word) =>
      /^\d/.test(word)
        ? NUMBER + Number(word)
        : RANKS.findIndex((rank) => word.startsWith(rank)) * STEP,
    ),
);

interface Bound {
  readonly operator: "=" | "!=" | ">" | ">=" | "<" | "<=";
  /** Normalised. */
  readonly version: string;
}

/** One alternative holds with all its bounds. */
type ComposerConstraint = readonly (readonly Bound[])[];

const STABILITY = /^([^,\s]*?)@(?:stable|RC|beta|alpha|dev)$/i;
const MODIFIED =
  /[._-]?(?:stable|beta|b|rc|alpha|a|patch|pl|p)(?:[.-]?\d+)*(?:[.-]?dev)?$|[.-]?dev$/i;
const NUMBERS = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?/;
const AND = /(?<!^|as|[=>< ,]) *(?<!-)[, ](?!-) *(?!,|as|$)/;

/** Undefined for branches, aliases and other texts. */
export const constraintOf = memoize((text) => readConstraint(text.trim()));

function readConstraint(text: string): ComposerConstraint | undefined {
  const alternatives = text.split(/\s*\|\|?\s*/).map((part) => {
    const bounds = part.trim().split(AND).map(boundsOf);
    return bounds.some((one) => one === undefined) ? undefined : bounds.flatMap((one) => one ?? []);
  });
  return alternatives.some((one) => one === undefined)
    ? undefined
    : alternatives.map((one) => one ?? []);
}

export const allowsVersion = (constraint: ComposerConstraint, version: string): boolean =>
  constraint.some((bounds) => bounds.every((bound) => holds(bound, version)));

function holds({ operator, version: bound }: Bound, version: string): boolean {
  const order = compareNormalized(version, bound);
  if (operator === "=") return order === 0;
  if (operator === "!=") return order !== 0;
  if (operator === ">") return order > 0;
  if (operator === ">=") return order >= 0;
  return operator === "<" ? order < 0 : order <= 0;
}

function boundsOf(written: string): readonly Bound[] | undefined {
  const [, flagged] = STABILITY.exec(written) ?? [];
  const text = flagged === undefined ? written : flagged || "*";
  if (/^[xX*](\.[xX*])*$/.test(text)) return [];
  const hyphen = /^(\S+) +- +(\S+)$/.exec(text);
  if (hyphen) return between(hyphen[1] ?? "", hyphen[2] ?? "");
  if (/^[~^]/.test(text))
    return text.startsWith("~>") ? undefined : line(text[0] ?? "", text.slice(1));
  const wildcard = /^v?(\d+(?:\.\d+){0,2})(?:\.[xX*])+$/.exec(text);
  if (wildcard) return any((wildcard[1] ?? "").split(".").map(Number));
  return plain(text);
}

/** `~1.2`: to the next of the number before the last; `^1.2`: to the next of the first that is not 0. */
function line(sign: string, text: string): readonly Bound[] | undefined {
  const low = normalized(text);
  const parts = partsOf(text);
  if (low === undefined || !parts) return undefined;
  const position = sign === "~" ? Math.max(1, parts.length - 1) : caretPosition(parts);
  return [
    { operator: ">=", version: MODIFIED.test(text) ? low : `${low}-dev` },
    { operator: "<", version: `${next(parts, position)}-dev` },
  ];
}

function caretPosition(parts: readonly number[]): number {
  if (parts[0] !== 0 || parts.length === 1) return 1;
  return parts[1] !== 0 || parts.length === 2 ? 2 : 3;
}

function any(parts: readonly number[]): readonly Bound[] {
  const high: Bound = { operator: "<", version: `${next(parts, parts.length)}-dev` };
  if (parts.every((part) => part === 0)) return [high];
  return [{ operator: ">=", version: `${padded(parts)}-dev` }, high];
}

function between(from: string, to: string): readonly Bound[] | undefined {
  const [low, high] = [normalized(from), normalized(to)];
  const parts = partsOf(to);
  if (low === undefined || high === undefined || !parts) return undefined;
  const whole = parts.length > 2 || MODIFIED.test(to);
  return [
    { operator: ">=", version: MODIFIED.test(from) ? low : `${low}-dev` },
    whole
      ? { operator: "<=", version: high }
      : { operator: "<", version: `${next(parts, parts.length)}-dev` },
  ];
}

function plain(text: string): readonly Bound[] | undefined {
  const [, sign = "", rest = ""] = /^(<>|!=|>=?|<=?|==?)?\s*(.*)$/.exec(text) ?? [];
  const version = normalized(rest);
  if (version === undefined) return undefined;
  const operator =
    sign === "" || sign === "==" ? "=" : sign === "<>" ? "!=" : (sign as Bound["operator"]);
  // Prereleases of the lower bound are inside.
  const early = (operator === "<" || operator === ">=") && !MODIFIED.test(rest);
  return [{ operator, version: early ? `${version}-dev` : version }];
}

function partsOf(text: string): readonly number[] | undefined {
  const found = NUMBERS.exec(text);
  return found?.slice(1).flatMap((part) => (part === undefined ? [] : [Number(part)]));
}

const padded = (parts: readonly number[]): string =>
  [0, 1, 2, 3].map((position) => parts[position] ?? 0).join(".");

const next = (parts: readonly number[], position: number): string =>
  padded(parts.slice(0, position).map((part, index) => (index === position - 1 ? part + 1 : part)));

const order = (a: string, b: string): number =>
  compareNormalized(normalized(a) ?? a, normalized(b) ?? b);

export const composerVersioning: Versioning = {
  isVersion: (text) => normalized(text) !== undefined,
  compare: order,
  isPrerelease: (version) => /-(?:dev|alpha|beta|RC)/.test(normalized(version) ?? ""),
  numbers: (version) => {
    const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(normalized(version) ?? "") ?? [];
    return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
  },
  satisfies: (version, requirement) => {
    const [constraint, normal] = [constraintOf(requirement), normalized(version)];
    return constraint !== undefined && normal !== undefined && allowsVersion(constraint, normal);
  },
  floor: (requirement) => {
    const constraint = constraintOf(requirement) ?? [];
    const lowest = constraint.flatMap((bounds) =>
      bounds.flatMap(({ operator, version }) =>
        operator === "=" || operator === ">=" ? [version] : [],
      ),
    );
    const [first] = lowest.toSorted(compareNormalized);
    return first?.replace(/-dev$/, "").replace(/^(\d+\.\d+\.\d+)\.0(?=-|$)/, "$1");
  },
};
