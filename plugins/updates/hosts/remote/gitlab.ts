/** The API of GitLab: groups, projects and merge requests. */

import type { HostAccount, HostRepo, HostRepoRef } from "../../model.js";
import type { CheckedPull, HostPull, Permission } from "../contract.js";
import type { CheckReading } from "./checks.js";
import type { HostDialect } from "./dialect.js";
import { flat, itemsOf, pagesOf } from "./pages.js";
import { accepted, checkState, merged, parseTagComparison } from "./responses.js";
import type { Ask } from "./rest.js";

interface Access {
  readonly access_level?: number;
}
interface Project {
  readonly id: number;
  readonly path: string;
  readonly namespace: { readonly id: number; readonly full_path: string; readonly kind: string };
  readonly visibility: string;
  readonly forked_from_project?: unknown;
  readonly web_url: string;
  readonly http_url_to_repo: string;
  readonly default_branch: string;
  readonly permissions?: {
    readonly project_access?: Access | null;
    readonly group_access?: Access | null;
  };
}
interface MergeRequestBody {
  readonly iid: number;
  readonly state: string;
  readonly sha: string;
  readonly merge_commit_sha?: string | null;
  /** Since GitLab 15.6. */
  readonly detailed_merge_status?: string;
  readonly head_pipeline?: {
    readonly id: number;
    readonly sha: string;
    readonly status: string;
  } | null;
}
interface CommitStatus {
  readonly id: number;
  readonly name?: string;
  readonly status: string;
  readonly ref?: string | null;
  readonly pipeline_id?: number | null;
  readonly allow_failure?: boolean;
}

const at = ({ hostId }: HostRepoRef): string => `/projects/${hostId}`;

const asRepo = (project: Project): HostRepo => ({
  hostId: project.id,
  name: project.path,
  account: {
    hostId: project.namespace.id,
    login: project.namespace.full_path,
    type: project.namespace.kind === "group" ? "org" : "user",
  },
  location: project.http_url_to_repo,
  url: project.web_url,
  private: project.visibility !== "public",
  fork: project.forked_from_project !== undefined,
  defaultBranch: project.default_branch,
});

/** 20 is reporter, 30 developer, 40 maintainer. */
function permissionIn({ permissions }: Pick<Project, "permissions">): Permission {
  const level = Math.max(
    permissions?.project_access?.access_level ?? 0,
    permissions?.group_access?.access_level ?? 0,
  );
  if (level >= 40) return "admin";
  return level >= 30 ? "push" : "read";
}

const notBlocking = new Set([
  // Mergeable, or decided by the checks, the merge itself or its retry.
  ...["mergeable", "ci_must_pass", "ci_still_running", "conflict", "need_rebase", "not_open"],
  ...["broken_status", "commits_status"],
]);

const computing = new Set(["unchecked", "checking", "preparing", "approvals_syncing"]);

async function pullOf(ask: Ask, repo: HostRepoRef, number: number): Promise<HostPull | undefined> {
  const path = `${at(repo)}/merge_requests/${number}`;
  const answer = await ask("GET", path);
  if (answer.status === 404) return undefined;
  const body = accepted(answer, "to show a merge request") as MergeRequestBody;
  const { state, sha, detailed_merge_status: status } = body;
  const approvals = await ask("GET", `${path}/approvals`);
  // Editions without approvals have no such list.
  if (![401, 403, 404].includes(approvals.status)) accepted(approvals, "to show approvals");
  const { approvals_left: missing } = (approvals.body ?? {}) as { approvals_left?: number };
  const isMergeable = status === undefined || notBlocking.has(status);
  const blocked = !isMergeable
    ? `The code host does not merge it now: ${status.replaceAll("_", " ")}.`
    : (missing ?? 0) > 0
      ? `The code host requires more approvals: ${missing}.`
      : undefined;
  return {
    number,
    state: state === "merged" ? "merged" : state === "opened" ? "open" : "closed",
    head: sha,
    changesRequested: status === "requested_changes",
    ...(blocked === undefined ? {} : { blocked, isComputing: computing.has(status ?? "") }),
  };
}

/** The latest status of each job, and the pipeline's, which includes jobs that are not created yet. */
async function checksOf(
  ask: Ask,
  repo: HostRepoRef,
  { number, head }: CheckedPull,
): Promise<CheckReading> {
  const path = `${at(repo)}/repository/commits/${head}/statuses?per_page=100`;
  const latest = new Map<string, CommitStatus>();
  for (const each of flat(await pagesOf(ask, path)) as CommitStatus[]) {
    const key = JSON.stringify([each.pipeline_id, each.ref, each.name]);
    if ((latest.get(key)?.id ?? -1) <= each.id) latest.set(key, each);
  }
  const request = await ask("GET", `${at(repo)}/merge_requests/${number}`);
  const { head_pipeline: pipeline } = accepted(request, "a merge request") as MergeRequestBody;
  return {
    reports: [
      ...[...latest.values()].map(({ id, name = "", status, allow_failure: optional = false }) => ({
        ...{ id: `${id}`, name, state: checkState(status), optional },
      })),
      ...(pipeline?.sha === head
        ? [{ id: `pipeline ${pipeline.id}`, name: "pipeline", state: checkState(pipeline.status) }]
        : []),
    ],
    required: [],
  };
}

export const gitLab: HostDialect = {
  kind: "gitlab",
  gitUser: "oauth2",
  authorization: (token) => `Bearer ${token}`,
  whoami: async (ask) => {
    const { status, body } = await ask("GET", "/user");
    return status === 200 ? (body as { username: string }).username : undefined;
  },
  accounts: async (ask) => {
    const [me, groups] = await Promise.all([
      ask("GET", "/user"),
      itemsOf(ask, "/groups?min_access_level=30&per_page=100"),
    ]);
    const { namespace_id: id, username } = (me.body ?? {}) as {
      namespace_id?: number;
      username?: string;
    };
    const own: HostAccount[] =
      me.status === 200 && id !== undefined && username !== undefined
        ? [{ hostId: id, login: username, type: "user" }]
        : [];
    return own.concat(
      (groups as { id: number; full_path: string }[]).map((each) => ({
        hostId: each.id,
        login: each.full_path,
        type: "org",
      })),
    );
  },
  repos: async (ask, { hostId, login, type }) => {
    const path =
      type === "org"
        ? `/groups/${hostId}/projects?per_page=100`
        : `/users/${encodeURIComponent(login)}/projects?per_page=100`;
    return ((await itemsOf(ask, path)) as Project[]).map(asRepo);
  },
  repo: async (ask, hostId) => {
    const { status, body } = await ask("GET", `/projects/${hostId}`);
    return status === 200 ? asRepo(body as Project) : undefined;
  },
  languagesPath: (repo) => `${at(repo)}/languages`,
  permission: async (ask, repo) => {
    const { status, body } = await ask("GET", at(repo));
    return status === 200 ? permissionIn(body as Project) : "none";
  },
  openPull: async (ask, repo, pull) => {
    const path = `${at(repo)}/merge_requests`;
    const answer = await ask("POST", path, {
      source_branch: pull.head,
      target_branch: pull.base,
      title: pull.title,
      description: pull.body,
      labels: pull.labels.join(","),
    });
    if (answer.status === 409) {
      const query = `state=opened&source_branch=${encodeURIComponent(pull.head)}`;
      const open = await ask("GET", `${path}?${query}`);
      const [same] = (open.body ?? []) as MergeRequestBody[];
      if (same) return same.iid;
    }
    return (accepted(answer, "a merge request") as MergeRequestBody).iid;
  },
  updatePull: async (ask, repo, number, { title, body }) => {
    const change = { title, description: body };
    accepted(await ask("PUT", `${at(repo)}/merge_requests/${number}`, change), "a change");
  },
  closePull: async (ask, repo, number, comment) => {
    const path = `${at(repo)}/merge_requests/${number}`;
    await ask("POST", `${path}/notes`, { body: comment });
    accepted(await ask("PUT", path, { state_event: "close" }), "to close it");
  },
  isPublic: async (ask, path) => {
    const { status, body } = await ask("GET", `/projects/${encodeURIComponent(path)}`);
    return status === 200 && (body as Project).visibility === "public";
  },
  compareTags: async (ask, path, from, to) => {
    const base = `/projects/${encodeURIComponent(path)}`;
    const tag = await ask("GET", `${base}/releases/${encodeURIComponent(to)}`);
    const query = `from=${encodeURIComponent(from ?? to)}&to=${encodeURIComponent(to)}`;
    const between = await ask("GET", `${base}/repository/compare?${query}`);
    return parseTagComparison(tag, between, "description");
  },
  comment: async (ask, repo, number, body) => {
    const path = `${at(repo)}/merge_requests/${number}/notes`;
    accepted(await ask("POST", path, { body }), "a comment");
  },
  permissionOf: async (ask, repo, { id }) => {
    const { status, body } = await ask("GET", `${at(repo)}/members/all/${id}`);
    return status === 200
      ? permissionIn({ permissions: { project_access: body as Access } })
      : "none";
  },
  pull: pullOf,
  checks: checksOf,
  branchPath: (repo, branch) => `${at(repo)}/repository/branches/${encodeURIComponent(branch)}`,
  headIn: (body) => body?.commit?.id,
  openPath: (repo) => `${at(repo)}/merge_requests?state=opened&per_page=100`,
  openIn: (body) =>
    ((body ?? []) as MergeRequestBody[]).map(({ iid, sha }) => ({ number: iid, head: sha })),
  merge: async (ask, repo, { number, head, message }) => {
    const answer = await ask("PUT", `${at(repo)}/merge_requests/${number}/merge`, {
      sha: head,
      merge_commit_message: message,
    });
    const { merge_commit_sha: merge, sha } = merged(answer) as MergeRequestBody;
    return { sha: merge ?? sha };
  },
};
