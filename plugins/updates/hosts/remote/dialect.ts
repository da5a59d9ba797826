/** How one kind of code host says what all of them know. */
import type {
  HostAccount,
  HostChecks,
  HostKind,
  HostPull,
  HostRepo,
  HostRepoRef,
  MergeRequest,
  NewHostPull,
  Permission,
} from "../contract.js";
import type { Commenter } from "../events/contract.js";
import type { Ask, Rest, RestAnswer } from "./rest.js";

export interface TagComparison {
  readonly notes?: string;
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
}

export interface HostDialect {
  readonly kind: HostKind;
  authorization(token: string): string;
  /** The user name that goes with a token as the password of git. */
  readonly gitUser: string;
  /** The login; `undefined` for a token that is not accepted. */
  whoami(ask: Ask): Promise<string | undefined>;
  accounts(rest: Rest, token: string): Promise<readonly HostAccount[]>;
  repos(rest: Rest, token: string, account: HostAccount): Promise<readonly HostRepo[]>;
  repo(ask: Ask, hostId: number): Promise<HostRepo | undefined>;
  permission(ask: Ask, repo: HostRepoRef): Promise<Permission>;
  /** The number; that of the one which is open already for the same branch, where there is one. */
  openPull(ask: Ask, repo: HostRepoRef, pull: NewHostPull): Promise<number>;
  updatePull(
    ask: Ask,
    repo: HostRepoRef,
    number: number,
    change: { title: string; body: string },
  ): Promise<void>;
  closePull(ask: Ask, repo: HostRepoRef, number: number, comment: string): Promise<void>;
  /** Whether everybody may read it. */
  isPublic(ask: Ask, path: string): Promise<boolean>;
  /** What a repository of the same host tells of the way from one tag to another; undefined where the later one is none. */
  compareTags(
    ask: Ask,
    path: string,
    from: string | undefined,
    to: string,
  ): Promise<TagComparison | undefined>;
  comment(ask: Ask, repo: HostRepoRef, number: number, text: string): Promise<void>;
  /** What somebody else may do, with our eyes. */
  permissionOf(ask: Ask, repo: HostRepoRef, who: Commenter): Promise<Permission>;
  pull(ask: Ask, repo: HostRepoRef, number: number): Promise<HostPull | undefined>;
  checks(ask: Ask, repo: HostRepoRef, commit: string): Promise<HostChecks>;
  /** Where the head of a branch is asked for, and how it is said. */
  branchPath(repo: HostRepoRef, branch: string): string;
  headIn(body: RestAnswer["body"]): string | undefined;
  /** The same of the newest open pull requests. */
  openPath(repo: HostRepoRef): string;
  openIn(body: RestAnswer["body"]): readonly { readonly number: number; readonly head: string }[];
  merge(ask: Ask, repo: HostRepoRef, request: MergeRequest): Promise<string>;
}
