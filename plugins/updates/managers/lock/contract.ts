/** Jobs and results of the worker threads that use npm's own libraries. Plain data. */

export interface LockWorkers {
  /** @throws UpdatesError `does_not_resolve`, `lock_failed` */
  refresh(job: PackageLockJob, signal?: AbortSignal): Promise<RefreshedLock>;
  /** @throws UpdatesError `tool_missing`, `lock_failed` */
  fetchTool(job: ToolJob, signal?: AbortSignal): Promise<FetchedTool>;
  close(): Promise<void>;
}

/** A package-lock.json. The manifests in `directory` require exact versions; the lock records `requirements` instead. */
export interface PackageLockJob {
  readonly kind: "package_lock";
  /** Has the manifests and the lock file. Nothing is installed there. */
  readonly directory: string;
  /** `package-lock.json` or `npm-shrinkwrap.json`. */
  readonly file: string;
  readonly requirements: readonly LockRequirement[];
  /** Transitive dependencies, which move as far as their dependents allow. */
  readonly indirect: readonly { readonly name: string; readonly atLeast: string }[];
  /** Registry by scope; `""` is everything else. */
  readonly registries: Readonly<Record<string, string>>;
  readonly credentials: readonly { readonly url: string; readonly authorization: string }[];
  /** The project ignores peer dependency conflicts. */
  readonly legacyPeers: boolean;
  /** A cache directory for registry responses. */
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

/** A package manager published as a package. */
export interface ToolJob {
  readonly kind: "tool";
  /** `pnpm`, `@yarnpkg/cli-dist`. */
  readonly name: string;
  /** A version, or a range whose newest version is used. */
  readonly range: string;
  /** The digest in the repository: `sha512.4f1c…`. Of the package, or of its file `hashed`. */
  readonly digest?: string;
  readonly hashed?: string;
  /** The name of the command in the package. */
  readonly command: string;
  readonly registry: string;
  readonly credentials: PackageLockJob["credentials"];
  /** The directory of tools, with a folder per version. */
  readonly directory: string;
  /** A cache directory for registry responses. */
  readonly cache: string;
}

export interface FetchedTool {
  readonly version: string;
  /** Program and first arguments. */
  readonly argv: readonly string[];
  /** The directory that it needs to run, besides the system. */
  readonly directory?: string;
}
