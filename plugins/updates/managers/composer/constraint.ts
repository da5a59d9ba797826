/** What Composer's constraints allow: `^1.2 || ~2.0`, `1.2.*`, `>=1 <3`, `1.0 - 2.0`. */
import { compareNormalized, normalized } from "./version.js";

interface Bound {
  readonly operator: "=" | "!=" | ">" | ">=" | "<" | "<=";
  /** Normalised. */
  readonly version: string;
}

/** One of the alternatives holds, with all of its bounds. */
export type ComposerConstraint = readonly (readonly Bound[])[];

const STABILITY = /^([^,\s]*?)@(?:stable|RC|beta|alpha|dev)$/i;
const MODIFIED =
  /[._-]?(?:stable|beta|b|rc|alpha|a|patch|pl|p)(?:[.-]?\d+)*(?:[.-]?dev)?$|[.-]?dev$/i;
const NUMBERS = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?/;
const AND = /(?<!^|as|[=>< ,]) *(?<!-)[, ](?!-) *(?!,|as|$)/;

/** Many ask for the same ones. Emptied when it is full. */
const known = new Map<string, ComposerConstraint | undefined>();
const MOST = 20_000;

/** Undefined for branches, aliases and all else that is not about versions. */
export function constraintOf(text: string): ComposerConstraint | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= MOST) known.clear();
  const constraint = read(text.trim());
  known.set(text, constraint);
  return constraint;
}

function read(text: string): ComposerConstraint | undefined {
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
  // Prereleases of the first version belong to what begins with it.
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
