/** The API of GitLab: groups, projects and merge requests. */

import type { HostAccount, HostRepo, HostRepoRef } from "../../model.js";
import type { Permission } from "../contract.js";
import { sumOf } from "../contract.js";
import type { HostDialect } from "./dialect.js";
import { accepted, checkState, merged, parseTagComparison } from "./responses.js";

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

export const gitLab: HostDialect = {
  kind: "gitlab",
  gitUser: "oauth2",
  authorization: (token) => `Bearer ${token}`,
  whoami: async (ask) => {
    const { status, body } = await ask("GET", "/user");
    return status === 200 ? (body as { username: string }).username : undefined;
  },
  accounts: async (rest, token) => {
    const [me, groups] = await Promise.all([
      rest.as(token)("GET", "/user"),
      rest.all(token, "/groups?min_access_level=30&per_page=100"),
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
  repos: async (rest, token, { hostId, login, type }) => {
    const path =
      type === "org"
        ? `/groups/${hostId}/projects?per_page=100`
        : `/users/${encodeURIComponent(login)}/projects?per_page=100`;
    return ((await rest.all(token, path)) as Project[]).map(asRepo);
  },
  repo: async (ask, hostId) => {
    const { status, body } = await ask("GET", `/projects/${hostId}`);
    return status === 200 ? asRepo(body as Project) : undefined;
  },
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
  pull: async (ask, repo, number) => {
    const { status, body } = await ask("GET", `${at(repo)}/merge_requests/${number}`);
    if (status !== 200) return undefined;
    const { state, sha } = body as MergeRequestBody;
    return {
      number,
      state: state === "merged" ? "merged" : state === "opened" ? "open" : "closed",
      head: sha,
      changesRequested: false,
    };
  },
  checks: async (ask, repo, commit) => {
    const { body } = await ask("GET", `${at(repo)}/repository/commits/${commit}/statuses`);
    const all = (body ?? []) as { status: string; allow_failure?: boolean }[];
    return {
      state: sumOf(all.map(({ status }) => checkState(status))),
      required: sumOf(
        all.filter((each) => !each.allow_failure).map(({ status }) => checkState(status)),
      ),
    };
  },
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
    return merge ?? sha;
  },
};
