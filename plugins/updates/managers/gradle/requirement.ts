/**
 * What a build requires of a version: one (`1.2`), a range (`[1,2[`), a prefix (`1.+`), the latest; `!!` makes it strict, and what
 * stands behind that is preferred (`[1,2[!!1.5`).
 */
import { boundAbove } from "../intervals.js";
import { compareGradle } from "./order.js";

interface Range {
  readonly lower: string;
  readonly lowerIn: boolean;
  readonly upper: string;
  readonly upperIn: boolean;
}

/** `]1,2]` leaves 1 out, as `(1,2]` does. */
function readRange(requirement: string): Range | undefined {
  const [, open, lower = "", comma, upper = "", close] =
    /^([[(\]])\s*([^,[\]()\s]*)\s*(,?)\s*([^,[\]()\s]*)\s*([\])[])$/.exec(requirement) ?? [];
  if (open === undefined) return undefined;
  if (comma === "" && (lower === "" || upper !== "" || open !== "[" || close !== "]"))
    return undefined;
  // Only round brackets stand beside a side that is open, and one side is not.
  if (comma !== "" && lower === "" && (open !== "(" || upper === "")) return undefined;
  if (comma !== "" && upper === "" && close !== ")") return undefined;
  return {
    lower,
    lowerIn: open === "[",
    upper: comma === "" ? lower : upper,
    upperIn: close === "]",
  };
}

/** Does it leave open which version is taken? */
export const isDynamic = (requirement: string): boolean =>
  /^[[(\]]|\+$|^latest\./.test(requirement);

const PREFERRED = /^(.+)!!([^!]+)$/;

export function gradleSatisfies(version: string, written: string): boolean {
  const requirement = written.replace(/!![^!]*$/, "");
  if (/^latest\./.test(requirement) || requirement === "+") return true;
  if (requirement.endsWith("+")) return version.startsWith(requirement.slice(0, -1));
  const range = readRange(requirement);
  if (!range) return compareGradle(version, requirement) === 0;
  if (range.lower !== "") {
    const order = compareGradle(version, range.lower);
    if (order < 0 || (order === 0 && !range.lowerIn)) return false;
  }
  if (range.upper === "") return true;
  const order = compareGradle(version, range.upper);
  if (order === 0) return range.upperIn;
  // What comes before an excluded bound is excluded with it: `2.0-rc-1` is no 1.x.
  return order < 0 && (range.upperIn || !new RegExp(`^${escaped(range.upper)}\\D`).test(version));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export function gradleFloor(written: string): string | undefined {
  const preferred = PREFERRED.exec(written)?.[2];
  if (preferred !== undefined) return preferred;
  const requirement = written.replace(/!!$/, "");
  const range = readRange(requirement);
  if (range) return range.lower || undefined;
  if (requirement.endsWith("+")) return requirement.replace(/[.\-_]?\+$/, "") || undefined;
  return isDynamic(requirement) ? undefined : requirement;
}

/** `requirement` so that it allows `version`, written alike; what already allows it, or is not understood, stays. */
export function raisedGradle(requirement: string, version: string): string {
  const [, limits, preferred] = PREFERRED.exec(requirement) ?? [];
  if (limits !== undefined && preferred !== undefined) {
    const raised = raisedGradle(limits, version);
    return gradleSatisfies(version, raised) ? `${raised}!!${version}` : requirement;
  }
  const strict = requirement.endsWith("!!") ? "!!" : "";
  const plain = strict === "" ? requirement : requirement.slice(0, -2);
  if (gradleSatisfies(version, plain)) return isDynamic(plain) ? requirement : version + strict;
  if (!isDynamic(plain)) return version + strict;
  if (plain.endsWith("+")) {
    const [, numbers = "", end = ""] = /^([\d.]*\d)([.\-_]?)\+$/.exec(plain) ?? [];
    const parts = version.split(/[.\-_]/).slice(0, numbers.split(".").length);
    return numbers === "" || end === "" ? requirement : `${parts.join(".")}${end}+${strict}`;
  }
  const range = readRange(plain);
  if (!range || range.upper === "") return requirement;
  const bound = range.upperIn ? version : boundAbove(version, range.upper);
  const at = plain.lastIndexOf(range.upper);
  const written = plain.slice(0, at) + bound + plain.slice(at + range.upper.length);
  return gradleSatisfies(version, written) ? written + strict : requirement;
}
