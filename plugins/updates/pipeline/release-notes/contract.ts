/** What a package's own repository tells about the way from one version to another. */

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
