/** What a package's own repository says about the changes between two versions. */
import type { Update } from "../../decide/contract.js";
import type { Manager } from "../../managers/contract.js";
import type { NamedRepo } from "../../store/repos.js";

export interface ReleaseNotes {
  /** Of the repository. */
  readonly url: string;
  /** What was written about the release, in Markdown. */
  readonly notes?: string;
  /** The part of the changelog about it. */
  readonly changelog?: string;
  /** Newest first. */
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
}

export interface ReleaseNotesSource {
  /** By name of the dependency; only what is found in time. Never rejects. */
  of(
    manager: Manager,
    repo: NamedRepo,
    updates: readonly Update[],
  ): Promise<ReadonlyMap<string, ReleaseNotes>>;
  /** Check results of the same updates in other repositories, by name of the dependency. */
  elsewhere(manager: Manager, updates: readonly Update[]): Promise<ReadonlyMap<string, CheckCount>>;
}

export interface CheckCount {
  readonly passed: number;
  readonly all: number;
}

/** A step to be told about. */
export interface VersionStep {
  readonly url: string;
  readonly from: string | undefined;
  readonly to: string;
  /** How a version may be called as a tag, the likeliest first. */
  readonly tags: (version: string) => readonly string[];
  /** Whether a version is `from` or older. */
  readonly isOld: (version: string) => boolean;
  /** Of the package in its repository. */
  readonly directory: string | undefined;
}
