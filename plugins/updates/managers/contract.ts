/**
 * The contract between the plugin and a package manager. All input and output is plain data, so a manager can work in a worker
 * thread and its results can be stored. A manager has no access to the repository, the store or the clock.
 *
 * A run calls `filesToRead` until it returns no new path → `parse` → `propose` (../decide) for each dependency → `update` → a branch.
 */
import type { ProcessRequest, ProcessResult } from "reeve/plugin";
import type { Credential, Lookup } from "../registries/contract.js";
import type { TextRange } from "../text/text.js";
import type { LockWorkers } from "./lock/contract.js";

/** A path inside a repository: `packages/a/package.json`, without a leading slash. */
export type RepositoryPath = string;

/** One entry of a tree, as `git ls-tree -r` lists them. */
export interface SourceEntry {
  readonly path: RepositoryPath;
  /** Links are not followed. The `oid` of a submodule is its commit. */
  readonly kind: "file" | "executable" | "link" | "submodule";
  readonly oid: string;
}

/** Texts by path, decoded from UTF-8 with the byte order mark (`textOf`), so that encoding gives the same bytes. */
export type FileTexts = ReadonlyMap<RepositoryPath, string>;

/** The parts of a repository that a manager reads, at one commit. */
export interface ProjectSources {
  /** The directory of the configuration: `/`, `/packages/app`. */
  readonly directory: string;
  /** The repository's own URL, which `../other.git` is relative to. */
  readonly url?: string;
  readonly tree: readonly SourceEntry[];
  readonly files: FileTexts;
}

/** One requirement of a dependency in a manifest. */
export interface Declaration {
  readonly file: RepositoryPath;
  /** The value without quotes, which an edit replaces. */
  readonly range: TextRange;
  /** The value: `^1.2.0`, `3.20-alpine`, `v4`. */
  readonly requirement: string;
  /** The part of the manifest: `devDependencies`, `require`, `FROM`, `jobs.build`. For display and grouping rules. */
  readonly section: string;
  readonly development: boolean;
  /** Private data of the manager: `{ alias: "old" }`. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** The source of versions. */
export type DependencyOrigin =
  /** A registry with the manager's own protocol; `url` has no trailing slash and no credentials. */
  | { readonly kind: "registry"; readonly url: string }
  /** Tags of a repository, or its `branch`. */
  | { readonly kind: "git"; readonly url: string; readonly branch?: string }
  /** No source: a local path, a workspace, the URL of a file. `why` is one sentence. */
  | { readonly kind: "none"; readonly why: string };

/** A dependency of a project, with all its declarations. */
export interface Dependency {
  /** Unique and stable between parses: the name, and a suffix where several have that name. */
  readonly id: string;
  /** Normalized; release notifications are compared with it. */
  readonly name: string;
  readonly origin: DependencyOrigin;
  /** Empty for an indirect dependency, which is only in a lock file. */
  readonly declarations: readonly Declaration[];
  /** True where every declaration is for development. */
  readonly development: boolean;
  /** The version in use: the locked one, else the one that the requirement pins. Undefined where unknown. */
  readonly current: string | undefined;
  /** The lock file that has `current`. */
  readonly lockedBy?: RepositoryPath;
  /** Dependencies with the same value move together, such as those that share a property. */
  readonly together?: string;
  /** Private data of the manager. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** The result of parsing a repository. */
export interface ParsedProject {
  readonly dependencies: readonly Dependency[];
  /** The name the project is published under, if it may be a library. See `Manager.isLibrary`. */
  readonly self?: {
    readonly name: string;
    readonly description: string;
    readonly origin: DependencyOrigin;
  };
  /** The runtimes of the project: `{ node: ">=20" }`. */
  readonly runtime: Readonly<Record<string, string>>;
  /** Files that cannot be read, each with the reason in one sentence. The others are parsed. */
  readonly broken: readonly { readonly file: RepositoryPath; readonly why: string }[];
}

/** A version in a registry. */
export interface Release {
  readonly version: string;
  /** Milliseconds since the epoch; undefined where the registry does not tell. */
  readonly published?: number;
  /** The reason why the version is no candidate: yanked, retracted, unlisted, deprecated. */
  readonly withdrawn?: string;
  /** The runtimes that it supports: `{ node: ">=22" }`. */
  readonly runtime?: Readonly<Record<string, string>>;
  /** The digest of an image, the commit of a tag. */
  readonly pin?: string;
}

export interface Available {
  readonly releases: readonly Release[];
  /** The version that the publisher marks as the latest. */
  readonly latest?: string;
}

export interface ReleaseFields {
  /** Include `Release.published`, which may take more requests. */
  readonly dates: boolean;
}

/** The order of versions and the meaning of requirements. Pure. */
export interface Versioning {
  isVersion(text: string): boolean;
  /** Negative where `a` is older than `b`. Both satisfy `isVersion`. */
  compare(a: string, b: string): number;
  isPrerelease(version: string): boolean;
  /** The three numbers of a version like semver; undefined for other versions. */
  numbers(version: string): readonly [major: number, minor: number, patch: number] | undefined;
  /** False for an invalid requirement. */
  satisfies(version: string, requirement: string): boolean;
  /** The lowest version that `requirement` allows; undefined where there is none, or for an invalid requirement. */
  floor(requirement: string): string | undefined;
}

/** How an update changes a requirement in a manifest. */
export type Strategy =
  | "lockfile_only"
  | "widen_ranges"
  | "bump_versions"
  | "bump_versions_if_necessary";

/** Settings of the instance, which repositories do not have. */
export interface ManagerSettings {
  /** Replaces public registries. The most specific scope wins: `@acme`, a module prefix, a host. */
  readonly registries: readonly {
    /** An id of `managers` (index.ts). */
    readonly manager: string;
    readonly url: string;
    readonly scope?: string;
  }[];
  /** Versions in any file. @default none */
  readonly patterns?: readonly FilePattern[];
  /** Managers whose tools may run code of the repository. @default none */
  readonly unsafe?: readonly string[];
}

/** A block `pattern`. */
export interface FilePattern {
  readonly name: string;
  /** Globs, from the directory of the configuration. */
  readonly files: readonly string[];
  /** RE2 patterns with named groups. */
  readonly match: readonly { readonly source: string; readonly flags: string }[];
  /** Each match is a dependency; each pattern searches the matches of the one before; all patterns give one dependency a file. */
  readonly strategy: "any" | "recursive" | "combination";
  /** For matches without the group `source` or `name`. */
  readonly source: string | undefined;
  readonly package: string | undefined;
}

export interface UpdateRequest {
  readonly sources: ProjectSources;
  readonly settings: ManagerSettings;
  /** Several where dependencies move together. */
  readonly changes: readonly VersionChange[];
}

/** A dependency and its new version; `requirements[i]` is the new value of `dependency.declarations[i]`. */
export interface VersionChange {
  readonly dependency: Dependency;
  readonly to: Release;
  readonly requirements: readonly string[];
}

export type LockOutcome =
  /** No lock file. */
  | { readonly kind: "absent" }
  | {
      readonly kind: "refreshed";
      readonly tier: "in_process" | "tool";
      /** The program or method, with its version: `arborist 9.9.3`, `go 1.19.8`. */
      readonly by: string;
    }
  /** The pull request shows `note` (one sentence) and is never merged automatically. */
  | { readonly kind: "stale"; readonly note: string };

export interface UpdateEdit {
  /** The complete texts of the files that change. */
  readonly files: FileTexts;
  /** New commits of submodules, by path. */
  readonly submodules: ReadonlyMap<RepositoryPath, string>;
  readonly lock: LockOutcome;
}

/** The effects that a manager may use. */
export interface Tools {
  readonly lookup: Lookup;
  /** Runs a program: `ctx.processes.run`, directly or in a sandbox. The manager sets environment and limits. */
  readonly run: (request: ProcessRequest) => Promise<ProcessResult>;
  /** Workers that refresh lock files: `createLockWorkers` (lock/pool.ts). */
  readonly workers: LockWorkers;
  /** The credentials of the lookup, for tools that send their own requests. */
  readonly credentials: readonly Credential[];
  /** Reads more files of the commit, such as source code for a tool. @default tools that need them do not run */
  read?(paths: readonly RepositoryPath[]): Promise<FileTexts>;
  /** An existing directory, in which managers create and remove their own. */
  readonly scratch: string;
  /** A directory for downloads to keep, such as package managers. @default `scratch` */
  readonly cache?: string;
  /**
   * The directory for tools that run in a sandbox, which has access to the tool's own directory in it and to installed programs,
   * but not to `scratch` and `cache`. @default tools run without a sandbox
   */
  readonly sandboxDirectory?: string;
  readonly signal?: AbortSignal;
}

/** The source repository of a release. */
export interface SourceRepository {
  /** `https://git.acme.example/acme/thing`. */
  readonly url: string;
  /** The directory of the package in it. */
  readonly directory?: string;
}

export interface Manager {
  /** Its key in `managers` (index.ts). */
  readonly id: string;
  /** The message for a repository without a manifest: "Repo must contain a package.json." */
  readonly missing: string;
  readonly versioning: Versioning;
  /**
   * Paths to read. Called again with the texts read so far, since a file may name others, until it returns no new path.
   * Empty: the directory has no manifest of this manager.
   */
  filesToRead(sources: ProjectSources, settings?: ManagerSettings): readonly RepositoryPath[];
  /** Never throws for the content of a repository; see `ParsedProject.broken`. */
  parse(sources: ProjectSources, settings: ManagerSettings): ParsedProject;
  /** Turns a name in a notification or an ignore rule into the form of `Dependency.name`. */
  normalize(name: string): string;
  /** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused` */
  available(dependency: Dependency, lookup: Lookup, wants: ReleaseFields): Promise<Available>;
  /** The releases that compare with the current version: same flavor and precision of a tag. In any order. */
  comparable(dependency: Dependency, available: Available): readonly Release[];
  /** Does the release support the runtimes of the project? */
  runs(release: Release, runtime: ParsedProject["runtime"]): boolean;
  /** Is the project a library, whose ranges should stay wide? May request whether it is published. */
  isLibrary(found: ParsedProject, lookup: Lookup): Promise<boolean>;
  /** The default strategy. */
  strategy(library: boolean): Strategy;
  /** The release with its `pin`, where declarations of `dependency` carry one. @throws UpdatesError as `available` */
  pinned(dependency: Dependency, release: Release, lookup: Lookup): Promise<Release>;
  /** The source repository of a release, where known. @throws UpdatesError as `available` */
  source?(
    dependency: Dependency,
    release: Release,
    lookup: Lookup,
  ): Promise<SourceRepository | undefined>;
  /** The new value of a declaration; the old one where the strategy keeps it. */
  requirement(declaration: Declaration, to: Release, strategy: Strategy): string;
  /** Edits the manifests and refreshes the lock files. @throws UpdatesError `does_not_resolve`, `lock_failed` */
  update(request: UpdateRequest, tools: Tools): Promise<UpdateEdit>;
}
