/**
 * A code host: identities, permissions, repositories, pull requests, checks and merges. Objects are read from and written to a
 * local repository, the host's own or a mirror; `publish` sends refs to the host.
 */

import type { RefStep, Repository } from "../git/repository.js";
import type { HostAccount, HostKind, HostRepo, HostRepoRef } from "../model.js";

/** In rising order; each includes the ones before it. */
const PERMISSIONS = ["none", "read", "push", "admin"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const mayAtLeast = (held: Permission, wanted: Permission): boolean =>
  PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(wanted);

/** A user with an accepted token. */
export interface Caller {
  readonly login: string;
  /** For the host only. */
  readonly token: string;
  /** The daemon's owner, on its socket: has every permission without a token. */
  readonly owner?: true;
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
  /** A reviewer requested changes. */
  readonly changesRequested: boolean;
  /** Why the host would not merge it now, apart from checks: one sentence. */
  readonly blocked?: string;
  /** The host is computing whether it is mergeable: `blocked` changes soon. */
  readonly isComputing?: boolean;
}

/** The combined state of a commit's checks; `none` if there are none. */
export type CheckState = "none" | "pending" | "passed" | "failed";

/** Failed if any failed, else pending if any is pending. */
export function sumOf(states: readonly CheckState[]): CheckState {
  for (const state of ["failed", "pending", "passed"] as const) {
    if (states.includes(state)) return state;
  }
  return "none";
}

export interface CheckSum {
  readonly state: CheckState;
  /** Which check failed, is pending or cannot be read: one sentence. */
  readonly why?: string;
}

export interface HostChecks {
  readonly all: CheckSum;
  /** The checks that the host requires on the base branch; where it requires none by name, those that it does not call optional. */
  readonly required: CheckSum;
}

/** What the checks of a pull request are read from. */
export interface CheckedPull {
  readonly number: number;
  /** The base branch, without `refs/heads/`. */
  readonly base: string;
  /** The commit. */
  readonly head: string;
}

export interface MergeRequest {
  readonly number: number;
  /** The base branch, without `refs/heads/`. */
  readonly base: string;
  /** The expected head. */
  readonly head: string;
  readonly headRef: string;
  /** Create a merge commit; otherwise fast-forward the base. */
  readonly mergeCommit: boolean;
  readonly message: string;
  /** The host's merge queue had this head: if it has it no longer, it removed it. */
  readonly wasQueued?: boolean;
  /** Seconds since the epoch. */
  readonly at: number;
}

export type MergeResult = { readonly sha: string } | "queued";

export interface CodeHost {
  readonly kind: HostKind;
  /** `undefined` if the token is not accepted. */
  identify(token: string): Promise<Caller | undefined>;
  accounts(caller: Caller): Promise<readonly HostAccount[]>;
  repos(caller: Caller, account: HostAccount): Promise<readonly HostRepo[]>;
  /** By its id on the host; `undefined` if it does not exist or the caller may not see it. */
  repo(caller: Caller, hostId: number): Promise<HostRepo | undefined>;
  /** The main programming language, in lower case. */
  language(repo: HostRepoRef): Promise<string | undefined>;
  permission(caller: Caller, repo: HostRepoRef): Promise<Permission>;
  /** A local repository, up to date with the host. */
  open(repo: HostRepoRef): Promise<Repository>;
  /** Applies all steps or none. @throws UpdatesError `moved` if a ref differs from `from` */
  publish(repo: HostRepoRef, steps: readonly RefStep[]): Promise<void>;
  /** Returns the host's number. The embedded host takes `suggested`. */
  openPull(repo: HostRepoRef, pull: NewHostPull, suggested: number): Promise<number>;
  updatePull(
    repo: HostRepoRef,
    number: number,
    change: { title: string; body: string },
  ): Promise<void>;
  closePull(repo: HostRepoRef, number: number, comment: string): Promise<void>;
  /**
   * The pull request's state on the host; `undefined` if the host does not have it, and always on the embedded host, whose state is
   * in the records. @throws UpdatesError `host_refused`
   */
  pull(repo: HostRepoRef, number: number): Promise<HostPull | undefined>;
  checks(repo: HostRepoRef, pull: CheckedPull): Promise<HostChecks>;
  /** Returns the new sha of the base, or that the host's merge queue has it. @throws UpdatesError `moved` or `conflict` */
  merge(repo: HostRepoRef, request: MergeRequest): Promise<MergeResult>;
  close(): void;
}
