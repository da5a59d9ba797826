/** What is asked of a worker thread with npm's own libraries in it, and what it answers. Plain data. */

export interface LockWorkers {
  /** @throws UpdatesError `does_not_resolve`, `lock_failed` */
  refresh(job: PackageLockJob, signal?: AbortSignal): Promise<RefreshedLock>;
  /** @throws UpdatesError `tool_missing`, `lock_failed` */
  fetchTool(job: ToolJob, signal?: AbortSignal): Promise<FetchedTool>;
  close(): Promise<void>;
}

/** A package-lock.json. The manifests in `directory` ask for exact versions; `requirements` are what the lock is to say instead. */
export interface PackageLockJob {
  readonly kind: "package_lock";
  /** A directory with the manifests and the lock file. Nothing is installed there. */
  readonly directory: string;
  /** `package-lock.json` or `npm-shrinkwrap.json`. */
  readonly file: string;
  readonly requirements: readonly LockRequirement[];
  /** Packages that only others depend on: they move as far as those allow. */
  readonly indirect: readonly { readonly name: string; readonly atLeast: string }[];
  /** Registry by scope; `""` is everything else. */
  readonly registries: Readonly<Record<string, string>>;
  readonly credentials: readonly { readonly url: string; readonly authorization: string }[];
  /** The project puts up with peer dependencies that do not fit. */
  readonly legacyPeers: boolean;
  /** A directory for answers of registries. */
  readonly cache: string;
}

export interface LockRequirement {
  /** `` or `packages/a`. */
  readonly member: string;
  readonly section: string;
  readonly declaredAs: string;
  readonly requirement: string;
  readonly version: string;
}

export interface RefreshedLock {
  readonly text: string;
  /** What did it: `arborist 9.9.3`. */
  readonly by: string;
}

/** A package manager that is published as a package. */
export interface ToolJob {
  readonly kind: "tool";
  /** `pnpm`, `@yarnpkg/cli-dist`. */
  readonly name: string;
  /** A version, or a range that the newest is taken of. */
  readonly range: string;
  /** What the repository says the tool's digest is: `sha512.4f1c…`. Of the package, or of `hashed` in it. */
  readonly digest?: string;
  readonly hashed?: string;
  /** The command among those of the package. */
  readonly command: string;
  readonly registry: string;
  readonly credentials: PackageLockJob["credentials"];
  /** Where tools are kept, one directory a version. */
  readonly directory: string;
  /** A directory for answers of registries. */
  readonly cache: string;
}

export interface FetchedTool {
  readonly version: string;
  /** Program and first arguments. */
  readonly argv: readonly string[];
  /** What has to be there for it to run, beside what the machine has. */
  readonly directory?: string;
}
