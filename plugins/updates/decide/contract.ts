/** What a decision is made from and what it says. Plain data. */
import type { Advisory } from "../advisories/contract.js";
import type { Strategy, VersionChange } from "../managers/contract.js";

export interface UpdatePolicy {
  readonly lockfileOnly: boolean;
  readonly securityOnly: boolean;
  /** Undefined: what the manager thinks right for the project. */
  readonly strategy?: Strategy;
  readonly ignore: readonly IgnoreRule[];
  /** Versions younger than this, in milliseconds, wait; fixes of known holes do not. @default 0 */
  readonly cooldown?: number;
  /** What `cooldown` is for single kinds of changes, and for which names; patterns as in ignore rules. @default all alike */
  readonly cooldowns?: Cooldowns;
  /** Versions not to offer: they did not resolve in this run. */
  readonly refused?: readonly string[];
  /** How `0.y.z` reads. @default "caret" */
  readonly zero?: ZeroReading;
}

interface Cooldowns {
  readonly changes?: Readonly<Partial<Record<SemverChange, number>>>;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/**
 * How changes below 1.0 are called. `caret`: 0.1.2 → 0.1.3 is a patch, 0.1 → 0.2 a major change, 0.0.z always one. `literal`: as
 * written. `strict`: they are no patch and no minor change at all.
 */
export type ZeroReading = "caret" | "literal" | "strict";

export type SemverChange = "major" | "minor" | "patch";

export interface IgnoreRule {
  /** A name, `*` stands for any part of it. */
  readonly dependency: string;
  /** In the manager's own language of requirements. */
  readonly versions?: readonly string[];
  /** Not regarded by updates that fix a known hole. */
  readonly changes?: readonly SemverChange[];
}

export type UpdateDecision = Update | NoUpdate;

export interface Update {
  readonly kind: "update";
  readonly change: VersionChange;
  readonly from: string | undefined;
  readonly to: string;
  /** By `Policy.zero`; undefined for versions that are not like semver's. */
  readonly semver: SemverChange | undefined;
  /** The new version satisfied every requirement as it stood before. */
  readonly inRange: boolean;
  readonly toPrerelease: boolean;
  /** What the version in use suffers from and the new one does not. */
  readonly fixes: readonly Advisory[];
}

export interface NoUpdate {
  readonly kind: "none";
  readonly reason: NoUpdateReason;
  /** One sentence for people, with the versions it is about. */
  readonly why: string;
  /** The newest version that was passed over. */
  readonly newest?: string;
}

export type NoUpdateReason =
  | "up_to_date"
  | "no_origin"
  | "version_unknown"
  | "nothing_comparable"
  | "not_locked"
  | "out_of_range"
  | "not_vulnerable"
  | "no_fix"
  | "ignored"
  | "cooling_down"
  | "runtime_too_old"
  | "does_not_resolve"
  | "indirect";
