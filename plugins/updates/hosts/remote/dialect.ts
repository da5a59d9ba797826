/** The API of one kind of code host, in common terms. */

import type { HostAccount, HostKind, HostRepo, HostRepoRef } from "../../model.js";
import type {
  CheckedPull,
  HostPull,
  MergeRequest,
  MergeResult,
  NewHostPull,
  Permission,
} from "../contract.js";
import type { Commenter } from "../events/contract.js";
import type { CheckReading } from "./checks.js";
import type { Ask, RestAnswer } from "./rest.js";

export interface TagComparison {
  readonly notes?: string;
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
}

/** None without commits, as the older tag may not exist then. */
export function comparePage(
  kind: HostKind,
  url: string,
  { commits }: TagComparison,
  from: string | undefined,
  to: string,
): { readonly compare?: string } {
  if (from === undefined || commits.length === 0) return {};
  const range = [from, to].map((each) => encodeURIComponent(each)).join("...");
  return { compare: `${url}${kind === "gitlab" ? "/-" : ""}/compare/${range}` };
}

export interface HostDialect {
  readonly kind: HostKind;
  authorization(token: string): string;
  /** Git's user name for a token as password. */
  readonly gitUser: string;
  /** The login; `undefined` if the token is not accepted. */
  whoami(ask: Ask): Promise<string | undefined>;
  accounts(ask: Ask): Promise<readonly HostAccount[]>;
  repos(ask: Ask, account: HostAccount): Promise<readonly HostRepo[]>;
  repo(ask: Ask, hostId: number): Promise<HostRepo | undefined>;
  /** The API path of the repository's languages with their shares. */
  languagesPath(repo: HostRepoRef): string;
  permission(ask: Ask, repo: HostRepoRef): Promise<Permission>;
  /** Returns the number; if the branch already has an open pull request, that one's. */
  openPull(ask: Ask, repo: HostRepoRef, pull: NewHostPull): Promise<number>;
  updatePull(
    ask: Ask,
    repo: HostRepoRef,
    number: number,
    change: { title: string; body: string },
  ): Promise<void>;
  closePull(ask: Ask, repo: HostRepoRef, number: number, comment: string): Promise<void>;
  /** Whether the repository is public. */
  isPublic(ask: Ask, path: string): Promise<boolean>;
  /** The release and commits between two tags of a repository on this host; `undefined` if the later tag does not exist. */
  compareTags(
    ask: Ask,
    path: string,
    from: string | undefined,
    to: string,
  ): Promise<TagComparison | undefined>;
  comment(ask: Ask, repo: HostRepoRef, number: number, text: string): Promise<void>;
  /** The permission of another user. */
  permissionOf(ask: Ask, repo: HostRepoRef, commenter: Commenter): Promise<Permission>;
  pull(ask: Ask, repo: HostRepoRef, number: number): Promise<HostPull | undefined>;
  checks(ask: Ask, repo: HostRepoRef, pull: CheckedPull): Promise<CheckReading>;
  /** The API path of a branch, and its head in the response. */
  branchPath(repo: HostRepoRef, branch: string): string;
  headIn(body: RestAnswer["body"]): string | undefined;
  /** The API path of the newest open pull requests, and their heads in the response. */
  openPath(repo: HostRepoRef): string;
  openIn(body: RestAnswer["body"]): readonly { readonly number: number; readonly head: string }[];
  merge(ask: Ask, repo: HostRepoRef, request: MergeRequest): Promise<MergeResult>;
}
