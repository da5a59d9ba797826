/** Parses webhook bodies of GitHub, Gitea, Forgejo and GitLab. Any field may be missing. */
import type { IncomingHttpHeaders } from "node:http";
import type { HostKind } from "../../model.js";
import type { HostEvent } from "./contract.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies of three APIs; `isWhole` checks the fields read here.
type Body = any;

/** `undefined` for irrelevant events. */
export function eventIn(
  kind: HostKind,
  headers: IncomingHttpHeaders,
  body: unknown,
): HostEvent | undefined {
  const name =
    headers[
      { github: "x-github-event", gitea: "x-gitea-event", gitlab: "x-gitlab-event" }[
        kind as "github"
      ] ?? ""
    ];
  if (typeof name !== "string" || typeof body !== "object" || body === null) return undefined;
  const event = kind === "gitlab" ? fromGitLab(name, body) : fromGitHub(name, body);
  return event && isWhole(event) ? event : undefined;
}

function fromGitHub(name: string, body: Body): HostEvent | undefined {
  const repo = body.repository?.id;
  switch (name) {
    case "push":
      return { kind: "pushed", repo, branch: branchIn(body.ref), paths: pathsIn(body.commits) };
    case "pull_request":
    case "pull_request_review":
    case "pull_request_label":
    case "pull_request_approved":
    case "pull_request_rejected":
      return { kind: "pull", repo, number: body.pull_request?.number };
    case "status":
      return { kind: "checked", repo, commit: body.sha };
    case "check_run":
      return { kind: "checked", repo, commit: body.check_run?.head_sha };
    case "check_suite":
      return { kind: "checked", repo, commit: body.check_suite?.head_sha };
    case "issue_comment":
    case "pull_request_comment": {
      if (body.action !== "created") return undefined;
      const { user, body: text } = body.comment ?? {};
      const number = body.issue?.number ?? body.pull_request?.number;
      return {
        ...{ kind: "commented", repo, number, text },
        author: { login: user?.login ?? user?.username, id: user?.id },
      };
    }
    default:
      return undefined;
  }
}

function fromGitLab(name: string, body: Body): HostEvent | undefined {
  const repo = body.project?.id ?? body.project_id;
  switch (name) {
    case "Push Hook":
      return { kind: "pushed", repo, branch: branchIn(body.ref), paths: pathsIn(body.commits) };
    case "Merge Request Hook":
      return { kind: "pull", repo, number: body.object_attributes?.iid };
    case "Pipeline Hook":
      return { kind: "checked", repo, commit: body.object_attributes?.sha };
    case "Job Hook":
      return { kind: "checked", repo, commit: body.sha };
    case "Note Hook":
      return {
        ...{ kind: "commented", repo, number: body.merge_request?.iid },
        text: body.object_attributes?.note,
        author: { login: body.user?.username, id: body.user?.id },
      };
    default:
      return undefined;
  }
}

const branchIn = (ref: unknown): string =>
  typeof ref === "string" && ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : "";

function pathsIn(commits: unknown): readonly string[] {
  if (!Array.isArray(commits)) return [];
  const paths = (commits as Body[]).flatMap((commit) =>
    ["added", "modified", "removed"].flatMap((what) => commit?.[what] ?? []),
  );
  return paths.filter((path): path is string => typeof path === "string");
}

/** Every field of the event is present and has the right type. */
function isWhole(event: HostEvent): boolean {
  if (!Number.isSafeInteger(event.repo)) return false;
  switch (event.kind) {
    case "pushed":
      return event.branch !== "";
    case "pull":
      return Number.isSafeInteger(event.number);
    case "checked":
      return typeof event.commit === "string";
    case "commented":
      return (
        Number.isSafeInteger(event.number) &&
        typeof event.text === "string" &&
        typeof event.author.login === "string" &&
        Number.isSafeInteger(event.author.id)
      );
  }
}
