/** Whether an advisory affects a version: by explicit versions, or by walking a range's events in version order. */
import type { Versioning } from "../managers/contract.js";
import type { Advisory, AffectedEvent, AffectedRange } from "./contract.js";

type Order = Pick<Versioning, "compare" | "isVersion">;

/** Commit ranges are skipped: walking them needs the repository's history. */
export function affects(advisory: Advisory, version: string, versioning: Order): boolean {
  const { versions, ranges } = advisory.affected;
  if (versions.some((listed) => same(listed, version, versioning))) return true;
  return ranges.some((range) => inside(range, version, versioning));
}

function same(listed: string, version: string, versioning: Order): boolean {
  if (listed === version) return true;
  const known = asVersion(listed, versioning);
  return (
    known !== undefined && versioning.isVersion(version) && versioning.compare(known, version) === 0
  );
}

/** Some records omit the version's leading `v`. */
function asVersion(text: string, versioning: Order): string | undefined {
  return [text, `v${text}`].find((spelling) => versioning.isVersion(spelling));
}

/** Sorts before every version. */
const FIRST = "0";

function inside(range: AffectedRange, version: string, versioning: Order): boolean {
  if (range.kind !== "versions" || !versioning.isVersion(version)) return false;
  const { limits, steps } = walk(range.events, versioning);
  const below = (limit: string): boolean => limit === "*" || versioning.compare(version, limit) < 0;
  if (limits.length > 0 && !limits.some(below)) return false;
  let affected = false;
  for (const { event, at } of steps) {
    const order = at === FIRST ? 1 : versioning.compare(version, at);
    if ("introduced" in event && order >= 0) affected = true;
    if ("fixed" in event && order >= 0) affected = false;
    if ("lastAffected" in event && order > 0) affected = false;
  }
  return affected;
}

function walk(events: readonly AffectedEvent[], versioning: Order) {
  const placed = events.flatMap((event) => {
    const [text = ""] = Object.values(event) as string[];
    const at = text === FIRST || text === "*" ? text : asVersion(text, versioning);
    return at === undefined ? [] : [{ event, at }];
  });
  const first = (at: string): boolean => at === FIRST;
  return {
    limits: placed.filter(({ event }) => "limit" in event).map(({ at }) => at),
    steps: placed
      .filter(({ event }) => !("limit" in event))
      .toSorted((a, b) => {
        if (first(a.at) || first(b.at)) return Number(first(b.at)) - Number(first(a.at));
        return versioning.compare(a.at, b.at);
      }),
  };
}
