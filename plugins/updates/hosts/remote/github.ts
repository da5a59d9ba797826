/** The APIs of GitHub, Gitea and Forgejo, which are nearly the same. */

import type { HostAccount, HostRepo, HostRepoRef } from "../../model.js";
import type { HostPull, MergeRequest, MergeResult, Permission } from "../contract.js";
import type { HostDialect } from "./dialect.js";
import { repoPath as at, giteaChecks, gitHubChecks } from "./github-checks.js";
import { enqueued, isQueueRequired } from "./github-queue.js";
import { flat, itemsOf, pagesOf } from "./pages.js";
import { accepted, merged, parseTagComparison } from "./responses.js";
import type { Ask } from "./rest.js";

interface Owner {
  readonly id: number;
  readonly login?: string;
  readonly username?: string;
  readonly type?: string;
}
interface RepoBody {
  readonly id: number;
  readonly name: string;
  readonly owner: Owner;
  readonly private: boolean;
  readonly fork: boolean;
  readonly html_url: string;
  readonly clone_url: string;
  readonly default_branch: string;
  readonly language?: string | null;
  readonly permissions?: {
    readonly admin?: boolean;
    readonly push?: boolean;
    readonly pull?: boolean;
  };
}
interface PullBody {
  readonly number: number;
  readonly state: string;
  readonly merged?: boolean;
  readonly draft?: boolean;
  readonly mergeable_state?: string;
  readonly head: { readonly ref: string; readonly sha: string };
}

const loginOf = ({ login, username }: Owner): string => login ?? username ?? "";

function asRepo(body: RepoBody, type: HostAccount["type"]): HostRepo {
  return {
    hostId: body.id,
    name: body.name,
    account: { hostId: body.owner.id, login: loginOf(body.owner), type },
    location: body.clone_url,
    url: body.html_url,
    private: body.private,
    fork: body.fork,
    defaultBranch: body.default_branch,
    ...(body.language ? { language: body.language.toLowerCase() } : {}),
  };
}

function permissionIn({ permissions = {} }: RepoBody): Permission {
  if (permissions.admin) return "admin";
  if (permissions.push) return "push";
  return permissions.pull === false ? "none" : "read";
}

function permissionNamed(word: string | undefined): Permission {
  if (word === "admin" || word === "owner") return "admin";
  if (word === "write" || word === "maintain") return "push";
  return word === "read" || word === "triage" ? "read" : "none";
}

export function gitHubLike(kind: "github" | "gitea"): HostDialect {
  const isGitHub = kind === "github";
  const perPage = isGitHub ? "per_page=100" : "limit=50";
  return {
    kind,
    gitUser: isGitHub ? "x-access-token" : "oauth2",
    authorization: (token) => (isGitHub ? `Bearer ${token}` : `token ${token}`),
    whoami: async (ask) => {
      const { status, body } = await ask("GET", "/user");
      return status === 200 ? loginOf(body as Owner) : undefined;
    },
    accounts: async (ask) => {
      const [me, orgs] = await Promise.all([
        ask("GET", "/user"),
        itemsOf(ask, `/user/orgs?${perPage}`),
      ]);
      const own = me.status === 200 ? [{ ...(me.body as Owner), kind: "user" as const }] : [];
      const others = (orgs as Owner[]).map((each) => ({ ...each, kind: "org" as const }));
      return [...own, ...others].map((each) => ({
        hostId: each.id,
        login: loginOf(each),
        type: each.kind,
      }));
    },
    repos: async (ask, { login, type }) => {
      const path = type === "org" ? `/orgs/${encodeURIComponent(login)}/repos` : "/user/repos";
      const repos = (await itemsOf(ask, `${path}?${perPage}`)) as RepoBody[];
      return repos
        .filter(({ owner }) => loginOf(owner) === login)
        .map((each) => asRepo(each, type));
    },
    repo: async (ask, hostId) => {
      const { status, body } = await ask("GET", `/repositories/${hostId}`);
      if (status !== 200) return undefined;
      const repo = body as RepoBody;
      const isOrg = repo.owner.type === "Organization" || (await isOrganisation(ask, repo.owner));
      return asRepo(repo, isOrg ? "org" : "user");
    },
    languagesPath: (repo) => `${at(repo)}/languages`,
    permission: async (ask, repo) => {
      const { status, body } = await ask("GET", at(repo));
      return status === 200 ? permissionIn(body as RepoBody) : "none";
    },
    openPull: async (ask, repo, { labels, ...pull }) => {
      const answer = await ask("POST", `${at(repo)}/pulls`, pull);
      if (answer.status === 422 || answer.status === 409) {
        const open = await itemsOf(ask, `${at(repo)}/pulls?state=open&${perPage}`);
        const same = (open as PullBody[]).find(({ head }) => head.ref === pull.head);
        if (same) return same.number;
      }
      const { number } = accepted(answer, "a pull request") as PullBody;
      // Labels are optional: a host may lack them.
      if (isGitHub) await ask("POST", `${at(repo)}/issues/${number}/labels`, { labels });
      return number;
    },
    updatePull: async (ask, repo, number, change) => {
      accepted(await ask("PATCH", `${at(repo)}/pulls/${number}`, change), "a change");
    },
    closePull: async (ask, repo, number, comment) => {
      await ask("POST", `${at(repo)}/issues/${number}/comments`, { body: comment });
      const change = { state: "closed" };
      accepted(await ask("PATCH", `${at(repo)}/pulls/${number}`, change), "to close it");
    },
    isPublic: async (ask, path) => {
      const { status, body } = await ask("GET", `/repos/${path}`);
      return status === 200 && (body as RepoBody).private === false;
    },
    compareTags: async (ask, path, from, to) => {
      const base = `/repos/${path}`;
      const tag = await ask("GET", `${base}/releases/tags/${encodeURIComponent(to)}`);
      const range = `${encodeURIComponent(from ?? to)}...${encodeURIComponent(to)}`;
      const between = await ask("GET", `${base}/compare/${range}`);
      return parseTagComparison(tag, between, "body");
    },
    comment: async (ask, repo, number, body) => {
      const path = `${at(repo)}/issues/${number}/comments`;
      accepted(await ask("POST", path, { body }), "a comment");
    },
    permissionOf: async (ask, repo, { login }) => {
      const path = `${at(repo)}/collaborators/${encodeURIComponent(login)}/permission`;
      const { status, body } = await ask("GET", path);
      return status === 200
        ? permissionNamed((body as { permission?: string }).permission)
        : "none";
    },
    pull: pullOf,
    checks: isGitHub ? gitHubChecks : giteaChecks,
    branchPath: (repo, branch) => `${at(repo)}/branches/${encodeURIComponent(branch)}`,
    headIn: (body) => (isGitHub ? body?.commit?.sha : body?.commit?.id),
    openPath: (repo) => `${at(repo)}/pulls?state=open&${perPage}`,
    openIn: (body) =>
      ((body ?? []) as PullBody[]).map(({ number, head }) => ({ number, head: head.sha })),
    merge: (ask, repo, request) => (isGitHub ? mergeGitHub : mergeGitea)(ask, repo, request),
  };
}

async function isOrganisation(ask: Ask, owner: Owner): Promise<boolean> {
  const { status } = await ask("GET", `/orgs/${encodeURIComponent(loginOf(owner))}`);
  return status === 200;
}

interface Review {
  readonly id?: number;
  readonly state: string;
  readonly dismissed?: boolean;
  /** Absent if the account was deleted, or a team was asked. */
  readonly user?: Owner | null;
}

async function pullOf(ask: Ask, repo: HostRepoRef, number: number): Promise<HostPull | undefined> {
  const path = `${at(repo)}/pulls/${number}`;
  const answer = await ask("GET", path);
  if (answer.status === 404) return undefined;
  const body = accepted(answer, "to show a pull request") as PullBody;
  // GitHub's pages have at most 100 items and Gitea's usually 50; both limit a larger number.
  const reviews = flat(await pagesOf(ask, `${path}/reviews?per_page=100&limit=50`)) as Review[];
  const last = new Map<string, Review>();
  for (const each of reviews.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))) {
    const reviewer = each.user ? loginOf(each.user) : `review ${each.id}`;
    if (decisive.has(each.state) && !each.dismissed) last.set(reviewer, each);
  }
  const blocked = body.draft
    ? "The pull request is a draft."
    : body.mergeable_state === "blocked"
      ? "The rules of the base branch do not allow the merge yet."
      : undefined;
  return {
    number,
    state: body.merged ? "merged" : body.state === "open" ? "open" : "closed",
    head: body.head.sha,
    changesRequested: [...last.values()].some(({ state }) =>
      ["CHANGES_REQUESTED", "REQUEST_CHANGES"].includes(state),
    ),
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** Reviews that replace the reviewer's earlier one; a dismissed one has no effect. */
const decisive = new Set(["APPROVED", "DISMISSED", "CHANGES_REQUESTED", "REQUEST_CHANGES"]);

async function mergeGitHub(
  ask: Ask,
  repo: HostRepoRef,
  request: MergeRequest,
): Promise<MergeResult> {
  const [title = "", ...rest] = request.message.split("\n");
  const answer = await ask("PUT", `${at(repo)}/pulls/${request.number}/merge`, {
    sha: request.head,
    ...(request.mergeCommit
      ? { merge_method: "merge", commit_title: title, commit_message: rest.join("\n").trim() }
      : { merge_method: "rebase" }),
  });
  if (isQueueRequired(answer)) return enqueued(ask, repo, request);
  return { sha: (merged(answer) as { sha: string }).sha };
}

async function mergeGitea(
  ask: Ask,
  repo: HostRepoRef,
  request: MergeRequest,
): Promise<MergeResult> {
  const answer = await ask("POST", `${at(repo)}/pulls/${request.number}/merge`, {
    Do: request.mergeCommit ? "merge" : "rebase",
    head_commit_id: request.head,
  });
  merged(answer);
  const branch = await ask("GET", `${at(repo)}/branches/${encodeURIComponent(request.base)}`);
  const base = branch.body as { commit?: { id?: string } } | undefined;
  return { sha: base?.commit?.id ?? request.head };
}
