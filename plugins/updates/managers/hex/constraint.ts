/**
 * A requirement as Hex writes it into a lock: not what the publisher wrote but what its solver made of it, `== 1.0.0` as `1.0.0`, alternatives
 * in order and joined where they touch. Undefined where Hex does not read it or means something else by it.
 */
import { hexVersioning } from "./versioning.js";

interface Bound {
  /** With three numbers, without what is behind a `+`. */
  readonly version: string;
  readonly included: boolean;
}

/** Undefined bounds are open. A single version has both, the same. */
interface Range {
  readonly from?: Bound;
  readonly to?: Bound;
}

const CLAUSE =
  /^ *(~>|>=|<=|==|>|<|) *((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))?(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)? *$/;

export function asHexWrites(requirement: string): string | undefined {
  const ranges: Range[] = [];
  for (const alternative of requirement.split(" or ")) {
    const clauses = alternative.split(" and ");
    const [first, second] = clauses.map(clauseOf);
    if (!first || clauses.length > 2 || (clauses.length === 2 && !second)) return undefined;
    const range = second ? together(first, second) : first.range;
    if (!range || isEmpty(range)) return undefined;
    ranges.push(range);
  }
  return joined(ranges).map(written).join(" or ");
}

interface Clause {
  readonly operator: string;
  readonly range: Range;
}

function clauseOf(text: string): Clause | undefined {
  const [, operator = "", version = ""] = CLAUSE.exec(text) ?? [];
  const [numbers = "", ...rest] = version.split(/(?=-)/);
  const parts = numbers.split(".").map(Number);
  if (version === "" || (parts.length === 2 && operator !== "~>")) return undefined;
  if (
    rest
      .join("")
      .slice(1)
      .split(".")
      .some((part) => /^0\d+$/.test(part))
  )
    return undefined;
  const [major = 0, minor = 0, patch = 0] = parts;
  const at = `${major}.${minor}.${patch}${rest.join("")}`;
  const bound = (included: boolean): Bound => ({ version: at, included });
  if (operator === "~>") {
    const end = parts.length === 2 ? `${major + 1}.0.0-0` : `${major}.${minor + 1}.0-0`;
    return { operator, range: { from: bound(true), to: { version: end, included: false } } };
  }
  if (operator.startsWith(">")) return { operator, range: { from: bound(operator === ">=") } };
  if (operator.startsWith("<")) return { operator, range: { to: bound(operator === "<=") } };
  return { operator: "==", range: { from: bound(true), to: bound(true) } };
}

/** Two clauses with `and`. Hex puts up with one from below and one from above, and with one beside `~>`. */
function together(first: Clause, second: Clause): Range | undefined {
  const [a, b] = [first.range, second.range];
  if (first.operator === "==" || second.operator === "==") return undefined;
  const approximate = [first, second].filter(({ operator }) => operator === "~>").length;
  if (approximate === 2) return undefined;
  if (approximate === 0 && ((a.from && b.from) || (a.to && b.to))) return undefined;
  const from = byFrom(a, b) > 0 ? a.from : b.from;
  const to = byTo(a, b) < 0 ? a.to : b.to;
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

/** Overlapping and touching ones become one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted(byFrom)) {
    const last = result.at(-1);
    if (!last || isApart(last, range)) result.push(range);
    else {
      const { to } = byTo(last, range) > 0 ? last : range;
      result.splice(-1, 1, { ...(last.from ? { from: last.from } : {}), ...(to ? { to } : {}) });
    }
  }
  return result;
}

function isApart({ to }: Range, { from }: Range): boolean {
  if (!to || !from) return false;
  const order = hexVersioning.compare(to.version, from.version);
  return order < 0 || (order === 0 && !to.included && !from.included);
}

/** Which begins first: where there is no bound, at once. */
function byFrom({ from: a }: Range, { from: b }: Range): number {
  if (!a || !b) return a === b ? 0 : a ? 1 : -1;
  return hexVersioning.compare(a.version, b.version) || Number(b.included) - Number(a.included);
}

function byTo({ to: a }: Range, { to: b }: Range): number {
  if (!a || !b) return a === b ? 0 : a ? -1 : 1;
  return hexVersioning.compare(a.version, b.version) || Number(a.included) - Number(b.included);
}

function isEmpty({ from, to }: Range): boolean {
  if (!from || !to) return false;
  const order = hexVersioning.compare(from.version, to.version);
  return order > 0 || (order === 0 && !(from.included && to.included));
}

function written({ from, to }: Range): string {
  if (from && to) {
    if (from.version === to.version) return from.version;
    const about =
      from.included && !to.included ? approximately(from.version, to.version) : undefined;
    if (about !== undefined) return about;
  }
  const parts = [
    ...(from ? [`>${from.included ? "=" : ""} ${from.version}`] : []),
    ...(to ? [`<${to.included ? "=" : ""} ${to.version}`] : []),
  ];
  return parts.length === 0 ? "any" : parts.join(" and ");
}

function approximately(from: string, to: string): string | undefined {
  const [, major, minor, patch, pre = ""] = /^(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(from) ?? [];
  if (patch === "0" && to === `${Number(major) + 1}.0.0-0`) return `~> ${major}.${minor}${pre}`;
  return to === `${major}.${Number(minor) + 1}.0-0`
    ? `~> ${major}.${minor}.${patch}${pre}`
    : undefined;
}
