/** Composer's versions as decisions are made from them. */
import type { Versioning } from "../contract.js";
import { allowsVersion, constraintOf } from "./constraint.js";
import { compareNormalized, normalized } from "./version.js";

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
