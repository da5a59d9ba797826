/** Is a version affected? By explicit versions, or by walking a range's events in the order of versions. */
import type { Versioning } from "../managers/contract.js";
import type { Advisory, AffectedEvent, AffectedRange } from "./contract.js";

type Order = Pick<Versioning, "compare" | "isVersion">;

export function affects(advisory: Advisory, version: string, versioning: Order): boolean {
  const { versions, ranges } = advisory.affected;
  if (versions.some((listed) => same(listed, version, versioning))) return true;
  return ranges.some((range) => inside(range, version, versioning));
}

function same(a: string, b: string, versioning: Order): boolean {
  if (a === b) return true;
  return versioning.isVersion(a) && versioning.isVersion(b) && versioning.compare(a, b) === 0;
}

function inside(range: AffectedRange, version: string, versioning: Order): boolean {
  if (range.kind !== "versions" || !versioning.isVersion(version)) return false;
  const limits = range.events.filter((event) => "limit" in event).map(versionOf);
  const below = (limit: string): boolean =>
    limit === "*" || (versioning.isVersion(limit) && versioning.compare(version, limit) < 0);
  if (limits.length > 0 && !limits.some(below)) return false;

  let affected = false;
  for (const event of sorted(range.events, versioning)) {
    const at = versionOf(event);
    const order = at === "0" ? 1 : versioning.compare(version, at);
    if ("introduced" in event && order >= 0) affected = true;
    if ("fixed" in event && order >= 0) affected = false;
    if ("lastAffected" in event && order > 0) affected = false;
  }
  return affected;
}

function sorted(events: readonly AffectedEvent[], versioning: Order): readonly AffectedEvent[] {
  return events
    .filter((event) => !("limit" in event))
    .filter((event) => versionOf(event) === "0" || versioning.isVersion(versionOf(event)))
    .toSorted((a, b) => {
      const [first, second] = [versionOf(a), versionOf(b)];
      if (first === second) return 0;
      if (first === "0") return -1;
      if (second === "0") return 1;
      return versioning.compare(first, second);
    });
}

const versionOf = (event: AffectedEvent): string => Object.values(event)[0] as string;
