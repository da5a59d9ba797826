/**
 * What a code host does for us: who somebody is, what they may do, where a repository's objects are, pull requests,
 * checks and merges. Objects are always read from a repository on this disk, a host's own or a mirror of it, and written
 * there first; `publish` takes refs to the host.
 */
import type { RefStep, Repository } from "../git/repository.js";

export type HostKind = "embedded" | "github" | "gitea" | "gitlab";

/** In rising order; each includes those before it. */
const PERMISSIONS = ["none", "read", "push", "admin"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const mayAtLeast = (held: Permission, wanted: Permission): boolean =>
  PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(wanted);

/** Somebody with a token that the host accepts. */
export interface Caller {
  readonly login: string;
  /** The token itself, for the host alone. */
  readonly token: string;
  /** Whoever reaches the daemon's own socket: may do everything here, without a token. */
  readonly owner?: true;
}

export interface HostAccount {
  readonly hostId: number;
  readonly login: string;
  readonly type: "org" | "user";
}

export interface HostRepo {
  readonly hostId: number;
  readonly name: string;
  readonly account: HostAccount;
  /** A directory, or the address to clone from. */
  readonly location: string;
  readonly url: string;
  readonly private: boolean;
  readonly fork: boolean;
  readonly defaultBranch: string;
  readonly language?: string;
}

/** What the host needs to find a repository again. */
export interface HostRepoRef {
  readonly hostId: number;
  readonly login: string;
  readonly name: string;
  readonly location: string;
}

export interface NewHostPull {
  readonly base: string;
  readonly head: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

export interface HostPull {
  readonly number: number;
  readonly state: "open" | "merged" | "closed";
  readonly head: string;
  /** Somebody asked for changes. */
  readonly changesRequested: boolean;
}

/** The sum of a commit's checks: `none` where there are none. */
export type CheckState = "none" | "pending" | "passed" | "failed";

export interface HostChecks {
  readonly state: CheckState;
  /** The same, of those alone that the host requires; absent where it does not say which. */
  readonly required?: CheckState;
}

export interface MergeRequest {
  readonly number: number;
  /** Branch that gets it, without `refs/heads/`. */
  readonly base: string;
  /** What the head must be. */
  readonly head: string;
  readonly headRef: string;
  /** Two parents; else the base moves forward to the head. */
  readonly mergeCommit: boolean;
  readonly message: string;
  /** Seconds since the epoch. */
  readonly at: number;
}

export interface CodeHost {
  readonly kind: HostKind;
  /** `undefined` for a token that is not accepted. */
  identify(token: string): Promise<Caller | undefined>;
  accounts(caller: Caller): Promise<readonly HostAccount[]>;
  repos(caller: Caller, account: HostAccount): Promise<readonly HostRepo[]>;
  /** By its id on the host; `undefined` where there is none, or none that the caller may see. */
  repo(caller: Caller, hostId: number): Promise<HostRepo | undefined>;
  permission(caller: Caller, repo: HostRepoRef): Promise<Permission>;
  /** A repository on this disk, as the host has it now. */
  open(repo: HostRepoRef): Promise<Repository>;
  /** All of it or nothing. @throws Trouble `moved` when a ref is not what it must be. */
  publish(repo: HostRepoRef, steps: readonly RefStep[]): Promise<void>;
  /** The number, given by the host; the embedded host has records of our own, and `suggested` is the number. */
  openPull(repo: HostRepoRef, pull: NewHostPull, suggested: number): Promise<number>;
  updatePull(
    repo: HostRepoRef,
    number: number,
    change: { title: string; body: string },
  ): Promise<void>;
  closePull(repo: HostRepoRef, number: number, comment: string): Promise<void>;
  /** As the host has it; `undefined` where we are the ones who keep it. */
  pull(repo: HostRepoRef, number: number): Promise<HostPull | undefined>;
  checks(repo: HostRepoRef, commit: string): Promise<HostChecks>;
  /** The sha the base has then. @throws Trouble `moved` or `conflict` */
  merge(repo: HostRepoRef, request: MergeRequest): Promise<string>;
  close(): void;
}
