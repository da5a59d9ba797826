/** The input and output of a decision. Plain data. */

import type { Advisory } from "../advisories/contract.js";
import type { Strategy, VersionChange } from "../managers/contract.js";
import type { SemverChange, ZeroReading } from "../model.js";

export interface UpdatePolicy {
  readonly lockfileOnly: boolean;
  readonly securityOnly: boolean;
  /** @default the manager's choice for the project */
  readonly strategy?: Strategy;
  readonly ignore: readonly IgnoreRule[];
  /** Versions whose pull request a person closed: neither they nor older ones are offered; a security fix may be older. */
  readonly closed?: readonly { readonly name: string; readonly version: string }[];
  /** Declarations (`declarationKey`) that another config updates, and its manager. */
  readonly elsewhere?: { readonly manager: string; readonly declarations: ReadonlySet<string> };
  /** Milliseconds: younger versions wait, security fixes do not. @default 0 */
  readonly cooldown?: number;
  /** Cooldowns for kinds of changes, and the names they apply to (patterns as in ignore rules). @default `cooldown` for all */
  readonly cooldowns?: Cooldowns;
  /** Versions that did not resolve in this run. */
  readonly refused?: readonly string[];
  /** How to read `0.y.z`. @default "caret" */
  readonly zero?: ZeroReading;
}

interface Cooldowns {
  readonly changes?: Readonly<Partial<Record<SemverChange, number>>>;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface IgnoreRule {
  /** A name; `*` matches any part of it. */
  readonly dependency: string;
  /** Ranges in the manager's own syntax. */
  readonly versions?: readonly string[];
  /** Ignored for security fixes. */
  readonly changes?: readonly SemverChange[];
}

export type UpdateDecision = Update | NoUpdate;

export interface Update {
  readonly kind: "update";
  readonly change: VersionChange;
  readonly from: string | undefined;
  readonly to: string;
  /** By `UpdatePolicy.zero`; `undefined` for versions unlike semver. */
  readonly semver: SemverChange | undefined;
  /** The previous requirements already allowed the new version. */
  readonly inRange: boolean;
  readonly toPrerelease: boolean;
  /** One sentence: which newer version, or which fix, needs a newer runtime than the project has. */
  readonly runtime?: string;
  /** The advisories that affect the current version and not the new one. */
  readonly fixes: readonly Advisory[];
}

export interface NoUpdate {
  readonly kind: "none";
  readonly reason: NoUpdateReason;
  /** One sentence with the versions involved. */
  readonly why: string;
  /** The newest version that was not offered. */
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
