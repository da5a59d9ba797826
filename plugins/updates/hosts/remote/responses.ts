/** Interprets responses of code hosts. */
import { UpdatesError } from "../../errors.js";
import type { CheckState } from "../contract.js";
import type { TagComparison } from "./dialect.js";
import type { RestAnswer } from "./rest.js";

/** The body of a successful response. @throws UpdatesError `host_refused` with the host's message */
export function accepted({ status, body }: RestAnswer, what: string): RestAnswer["body"] {
  if (status >= 200 && status < 300) return body;
  throw new UpdatesError("host_refused", `The code host refuses ${what} (${status})${said(body)}.`);
}

/** The body of a successful merge. @throws UpdatesError `moved`, `conflict` or `host_refused` */
export function merged(answer: RestAnswer): RestAnswer["body"] {
  const { status, body } = answer;
  if (status === 409) throw new UpdatesError("moved", `The update has moved${said(body)}.`);
  if ([405, 406, 422].includes(status)) {
    throw new UpdatesError("conflict", `The code host cannot merge it${said(body)}.`);
  }
  return accepted(answer, "a merge");
}

function said(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === "string" ? `: ${message.replace(/[.\s]+$/, "").slice(0, 200)}` : "";
}

const mostCommits = 20;

/** Combines a release and a comparison of two tags; either may be missing. Comparisons list the oldest commit first. */
export function parseTagComparison(
  release: RestAnswer,
  between: RestAnswer,
  field: "body" | "description",
): TagComparison | undefined {
  if (release.status !== 200 && between.status !== 200) return undefined;
  const notes: unknown = release.status === 200 ? release.body?.[field] : undefined;
  const listed: unknown = between.status === 200 ? between.body?.commits : undefined;
  const commits = (Array.isArray(listed) ? (listed as ComparedCommit[]) : []).map(
    ({ sha, id, commit, title }) => ({
      sha: String(sha ?? id),
      subject: String(title ?? commit?.message ?? "").split("\n")[0] ?? "",
    }),
  );
  return {
    ...(typeof notes === "string" && notes.trim() !== "" ? { notes: notes.trim() } : {}),
    commits: commits.reverse().slice(0, mostCommits),
  };
}

interface ComparedCommit {
  readonly sha?: string;
  readonly id?: string;
  readonly title?: string;
  readonly commit?: { readonly message?: string };
}

/** Maps the state words of all hosts. An unknown word is no pass. */
export function checkState(word: string | null | undefined): CheckState {
  switch (word) {
    case "success":
    case "neutral":
    case "skipped":
      return "passed";
    case "failure":
    case "failed":
    case "error":
    case "cancelled":
    case "canceled":
    case "timed_out":
    case "action_required":
    case "stale":
    case "startup_failure":
    case "warning":
      return "failed";
    default:
      return "pending";
  }
}
