/** What a package's own repository says about the changes between two versions. */
import type { Update } from "../../decide/contract.js";
import type { Manager } from "../../managers/contract.js";
import type { NamedRepo } from "../../store/repos.js";

export interface ReleaseNotes {
  /** The repository's address. */
  readonly url: string;
  /** The code host's page with the changes, where both tags are known. */
  readonly compare?: string;
  /** The text of the release, in Markdown. */
  readonly notes?: string;
  /** The part of the changelog. */
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

/** A version change to describe. */
export interface VersionStep {
  readonly url: string;
  readonly from: string | undefined;
  readonly to: string;
  /** Possible tag names of a version, the most likely first. */
  readonly tags: (version: string) => readonly string[];
  /** Whether a version is `from` or older. */
  readonly isOld: (version: string) => boolean;
  /** The package's directory in its repository. */
  readonly directory: string | undefined;
}
