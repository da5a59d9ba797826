/** Webhook deliveries of GitHub, Gitea and GitLab, with their signatures, for `acme/site` with the id 7. */
import { createHmac } from "node:crypto";
import type { ForgeKind } from "./forge-checks.js";

export type DeliveredEvent =
  | { readonly what: "push"; readonly branch: string; readonly paths?: readonly string[] }
  | { readonly what: "pull"; readonly number: number; readonly action: string }
  | {
      readonly what: "comment";
      readonly number: number;
      readonly by: number;
      readonly text: string;
    }
  | { readonly what: "status"; readonly commit: string };

interface Delivery {
  readonly event: string;
  readonly body: unknown;
}

const user = (id: number) => ({ id, login: `user-${id}`, username: `user-${id}` });

function ofGitHub(event: DeliveredEvent): Delivery {
  const repository = { id: 7, full_name: "acme/site" };
  switch (event.what) {
    case "push": {
      const commits = [{ id: "1", added: event.paths ?? [], modified: [], removed: [] }];
      return { event: "push", body: { ref: `refs/heads/${event.branch}`, repository, commits } };
    }
    case "pull": {
      const { number, action } = event;
      return {
        event: "pull_request",
        body: { action, number, pull_request: { number }, repository },
      };
    }
    case "comment": {
      const comment = { body: event.text, user: user(event.by) };
      const issue = { number: event.number, pull_request: {} };
      return { event: "issue_comment", body: { action: "created", issue, comment, repository } };
    }
    case "status":
      return { event: "status", body: { sha: event.commit, state: "success", repository } };
  }
}

function ofGitLab(event: DeliveredEvent): Delivery {
  const project = { id: 7, path_with_namespace: "acme/site" };
  switch (event.what) {
    case "push": {
      const commits = [{ id: "1", added: event.paths ?? [], modified: [], removed: [] }];
      return { event: "Push Hook", body: { ref: `refs/heads/${event.branch}`, project, commits } };
    }
    case "pull":
      return {
        event: "Merge Request Hook",
        body: { project, object_attributes: { iid: event.number, action: event.action } },
      };
    case "comment":
      return {
        event: "Note Hook",
        body: {
          ...{ project, user: user(event.by), merge_request: { iid: event.number } },
          object_attributes: { note: event.text, noteable_type: "MergeRequest" },
        },
      };
    case "status":
      return {
        event: "Pipeline Hook",
        body: { project, object_attributes: { sha: event.commit, status: "success" } },
      };
  }
}

/** Sends a delivery as the host does; returns the response. */
export function deliver(
  kind: ForgeKind,
  { url, secret }: { readonly url: string; readonly secret: string },
  delivered: DeliveredEvent,
): Promise<Response> {
  const { event, body } = kind === "gitlab" ? ofGitLab(delivered) : ofGitHub(delivered);
  const text = JSON.stringify(body);
  const digest = createHmac("sha256", secret).update(text).digest("hex");
  const headers: Record<ForgeKind, Record<string, string>> = {
    github: { "x-github-event": event, "x-hub-signature-256": `sha256=${digest}` },
    gitea: { "x-gitea-event": event, "x-gitea-signature": digest },
    gitlab: { "x-gitlab-event": event, "x-gitlab-token": secret },
  };
  return fetch(`${url}/host_events`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers[kind] },
    body: text,
  });
}
