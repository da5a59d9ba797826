/** Types that several layers share. */

export type HostKind = "embedded" | "github" | "gitea" | "gitlab";

export interface HostAccount {
  readonly hostId: number;
  readonly login: string;
  readonly type: "org" | "user";
}

export interface HostRepo {
  readonly hostId: number;
  readonly name: string;
  readonly account: HostAccount;
  /** A directory, or a clone URL. */
  readonly location: string;
  readonly url: string;
  readonly private: boolean;
  readonly fork: boolean;
  readonly defaultBranch: string;
  readonly language?: string;
}

/** Identifies a repository on its host. */
export interface HostRepoRef {
  readonly hostId: number;
  readonly login: string;
  readonly name: string;
  readonly location: string;
}

/**
 * How changes below 1.0 are classified. `caret`: 0.1.2 → 0.1.3 is a patch, 0.1 → 0.2 a major change, every change of 0.0.z a major one.
 * `literal`: by the numbers. `strict`: never a patch or minor change.
 */
export type ZeroReading = "caret" | "literal" | "strict";

export type SemverChange = "major" | "minor" | "patch";
