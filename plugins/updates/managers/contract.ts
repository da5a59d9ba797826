/**
 * What a package manager is to the rest of the plugin. Everything that goes in and out is plain data, so a manager may work in a
 * worker thread and what it found may be stored. A manager knows no repository, no store and no clock.
 *
 * A run goes: `wanted` until nothing more is asked for → `parse` → for each dependency `propose` (../decide) →
 * `update` → a branch.
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
  /** Links are never followed. A submodule is the commit it points at. */
  readonly kind: "file" | "executable" | "link" | "submodule";
  readonly oid: string;
}

/** Texts by path: decoded from UTF-8, byte order mark included (`textOf`), so that encoding them again gives the same bytes. */
export type FileTexts = ReadonlyMap<RepositoryPath, string>;

/** What is read of a repository at one commit. */
export interface ProjectSources {
  /** Where a configuration looks: `/`, `/packages/app`. */
  readonly directory: string;
  /** Where the repository itself is fetched from: what `../other.git` is relative to. */
  readonly url?: string;
  readonly tree: readonly SourceEntry[];
  readonly files: FileTexts;
}

/** One place where a dependency's requirement is written. */
export interface Declaration {
  readonly file: RepositoryPath;
  /** Exactly the value: what an edit replaces, without quotes. */
  readonly range: TextRange;
  /** The value as the manager understands it: `^1.2.0`, `3.20-alpine`, `v4`. */
  readonly requirement: string;
  /** Where in the manifest: `devDependencies`, `require`, `FROM`, `jobs.build`. For people and grouping rules. */
  readonly section: string;
  readonly development: boolean;
  /** What the manager alone understands, `{ alias: "old" }`. Plain data. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Where versions are asked for. */
export type DependencyOrigin =
  /** A registry speaking the manager's own protocol; `url` without a trailing slash, without credentials. */
  | { readonly kind: "registry"; readonly url: string }
  /** Tags and branches of a repository; `branch` where one is followed. */
  | { readonly kind: "git"; readonly url: string; readonly branch?: string }
  /** Nothing to ask: a local path, a workspace, an address of a file. `why` is one sentence. */
  | { readonly kind: "none"; readonly why: string };

/** One thing a project depends on, with all places that say so. */
export interface Dependency {
  /** Unique in a parse and stable between parses: the name, and what tells two of that name apart. */
  readonly id: string;
  /** As the manager normalises names; what a release notification is compared with. */
  readonly name: string;
  readonly origin: DependencyOrigin;
  /** Empty: it is only in a lock file, pulled in by others. */
  readonly declarations: readonly Declaration[];
  /** True only where every declaration is for development. */
  readonly development: boolean;
  /** The version in use: from the lock file, else what the requirement pins. Undefined where nothing says. */
  readonly current: string | undefined;
  /** The lock file `current` comes from. */
  readonly lockedBy?: RepositoryPath;
  /** Dependencies with the same word move together: a property they share. */
  readonly together?: string;
  /** What the manager alone understands. Plain data. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** What was found in a repository. */
export interface ParsedProject {
  readonly dependencies: readonly Dependency[];
  /** What the project itself is published as, if it may be a library. See `Manager.isLibrary`. */
  readonly self?: {
    readonly name: string;
    readonly description: string;
    readonly origin: DependencyOrigin;
  };
  /** What the project runs on, by the manager's word: `{ node: ">=20" }`. */
  readonly runtime: Readonly<Record<string, string>>;
  /** Manifests that could not be read, each in one sentence; everything else goes on. */
  readonly broken: readonly { readonly file: RepositoryPath; readonly why: string }[];
}

/** One version that a registry offers. */
export interface Release {
  readonly version: string;
  /** Milliseconds since the epoch, where the registry says. */
  readonly published?: number;
  /** Yanked, retracted, unlisted, deprecated: why it is no candidate, in the publisher's words or one of ours. */
  readonly withdrawn?: string;
  /** What it runs on: `{ node: ">=22" }`. */
  readonly runtime?: Readonly<Record<string, string>>;
  /** What the version is pinned by, where there is such a thing: a digest of an image, a commit of a tag. */
  readonly pin?: string;
}

export interface Available {
  readonly releases: readonly Release[];
  /** The version the publisher calls the latest, where the registry knows such a thing. */
  readonly latest?: string;
}

export interface ReleaseFields {
  /** `Release.published` is wanted, though it may cost more to ask for. */
  readonly dates: boolean;
}

/** The order of versions and what requirements mean. Pure. */
export interface Versioning {
  isVersion(text: string): boolean;
  /** Negative where `a` is older than `b`. Both satisfy `isVersion`. */
  compare(a: string, b: string): number;
  isPrerelease(version: string): boolean;
  /** The three numbers where versions have a meaning like semver's; undefined for all others. */
  numbers(version: string): readonly [major: number, minor: number, patch: number] | undefined;
  /** False for a requirement that is not understood. */
  satisfies(version: string, requirement: string): boolean;
  /** The lowest version that `requirement` allows; undefined where there is none or it is not understood. */
  floor(requirement: string): string | undefined;
}

/** How a requirement in a manifest follows. */
export type Strategy =
  | "lockfile_only"
  | "widen_ranges"
  | "bump_versions"
  | "bump_versions_if_necessary";

/** Settings of the instance that repositories cannot know. */
export interface ManagerSettings {
  /** Where a manager asks instead of its public registry; the most specific wins: a scope (`@acme`, a module prefix, a host). */
  readonly registries: readonly {
    /** An id of `managers` (index.ts). */
    readonly manager: string;
    readonly url: string;
    readonly scope?: string;
  }[];
  /** Managers whose tools may run code of the repository. @default none */
  readonly unsafe?: readonly string[];
}

export interface UpdateRequest {
  readonly sources: ProjectSources;
  readonly settings: ManagerSettings;
  /** More than one where they move together. */
  readonly changes: readonly VersionChange[];
}

/** One dependency and where it goes; `requirements[i]` is the new value of `dependency.declarations[i]`. */
export interface VersionChange {
  readonly dependency: Dependency;
  readonly to: Release;
  readonly requirements: readonly string[];
}

export type LockOutcome =
  /** There is none to refresh. */
  | { readonly kind: "absent" }
  | {
      readonly kind: "refreshed";
      readonly tier: "in_process" | "tool";
      /** What did it, with its version: `arborist 9.9.3`, `go 1.19.8`. */
      readonly by: string;
    }
  /** The pull request says so (`note`, one sentence) and is never merged by itself. */
  | { readonly kind: "stale"; readonly note: string };

export interface UpdateEdit {
  /** Only the files that changed, complete. */
  readonly files: FileTexts;
  /** Submodules that moved: path → commit. */
  readonly submodules: ReadonlyMap<RepositoryPath, string>;
  readonly lock: LockOutcome;
}

/** What a manager may use of the world. */
export interface Tools {
  readonly lookup: Lookup;
  /** Runs a program, `ctx.processes.run` or the same through a sandbox. Managers scrub the environment and set the limits. */
  readonly run: (request: ProcessRequest) => Promise<ProcessResult>;
  /** Workers that refresh lock files: `createLockWorkers` (lock/pool.ts). */
  readonly workers: LockWorkers;
  /** For tools that ask registries themselves; the same that the lookup has. */
  readonly credentials: readonly Credential[];
  /** More files of the same commit: source code that a tool wants to see. @default such tools are not run */
  read?(paths: readonly RepositoryPath[]): Promise<FileTexts>;
  /** An existing directory; managers make and remove their own inside it. */
  readonly scratch: string;
  /** A directory for what is good to keep, such as package managers themselves. @default `scratch` */
  readonly cache?: string;
  /**
   * Tools run in a sandbox, which sees the directory that a tool is started in, made here, and programs of the machine,
   * but nothing of `scratch` and `cache`. @default they run where the daemon does
   */
  readonly sandboxDirectory?: string;
  readonly signal?: AbortSignal;
}

/** Where a release was made. */
export interface SourceRepository {
  /** Of the repository: `https://git.acme.example/acme/thing`. */
  readonly url: string;
  /** Of the package in it. */
  readonly directory?: string;
}

export interface Manager {
  /** Its key in `managers` (index.ts). */
  readonly id: string;
  /** What a repository without a manifest lacks: "Repo must contain a package.json." */
  readonly missing: string;
  readonly versioning: Versioning;
  /**
   * Paths worth reading. Called again with what was read so far, as one file may name others, until it asks for nothing new.
   * Nothing at all: the directory has no manifest of this manager.
   */
  filesToRead(sources: ProjectSources): readonly RepositoryPath[];
  /** Never throws for what a repository contains; see `Found.broken`. */
  parse(sources: ProjectSources, settings: ManagerSettings): ParsedProject;
  /** A name as people write it in notifications and ignore rules, the way `Dependency.name` is written. */
  normalize(name: string): string;
  /** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused` */
  available(dependency: Dependency, lookup: Lookup, wants: ReleaseFields): Promise<Available>;
  /** Which of `available` compare with the current version at all: same flavour of a tag, same precision. Any order. */
  comparable(dependency: Dependency, available: Available): readonly Release[];
  /** May the project run on what the release asks for? */
  runs(release: Release, runtime: ParsedProject["runtime"]): boolean;
  /** Is the project a library, whose ranges should stay wide? May ask whether it is published. */
  isLibrary(found: ParsedProject, lookup: Lookup): Promise<boolean>;
  /** What a strategy left to us is. */
  strategy(library: boolean): Strategy;
  /** The release with its `pin`, where declarations of `dependency` carry one. @throws UpdatesError as `available` */
  pinned(dependency: Dependency, release: Release, lookup: Lookup): Promise<Release>;
  /** Which repository a release was made from, where anything says so. @throws UpdatesError as `available` */
  source?(
    dependency: Dependency,
    release: Release,
    lookup: Lookup,
  ): Promise<SourceRepository | undefined>;
  /** A declaration's new value, or its old one where the strategy leaves it. */
  requirement(declaration: Declaration, to: Release, strategy: Strategy): string;
  /** Edits the manifests and refreshes the lock files. @throws UpdatesError `does_not_resolve`, `lock_failed` */
  update(request: UpdateRequest, tools: Tools): Promise<UpdateEdit>;
}
