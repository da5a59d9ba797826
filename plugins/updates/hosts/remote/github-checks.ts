/** Checks of commits, and the checks that branches require, on GitHub, Gitea and Forgejo. */
import type { HostRepoRef } from "../../model.js";
import type { CheckedPull } from "../contract.js";
import type { CheckReading, CheckReport, RequiredCheck } from "./checks.js";
import { flat, pagesOf } from "./pages.js";
import { accepted, checkState } from "./responses.js";
import type { Ask } from "./rest.js";

export const repoPath = ({ login, name }: HostRepoRef): string =>
  `/repos/${encodeURIComponent(login)}/${encodeURIComponent(name)}`;

interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion?: string | null;
  readonly app?: { readonly id: number } | null;
}
interface CheckSuite {
  readonly id: number;
  readonly status: string;
  readonly latest_check_runs_count?: number;
  readonly app?: { readonly id: number; readonly name?: string } | null;
}
interface CommitStatus {
  readonly id?: number;
  readonly context: string;
  /** `status` in Gitea. */
  readonly state?: string;
  readonly status?: string;
}

/** Statuses, check runs, and suites that will have further runs: a job that waits for another one has no run yet. */
export async function gitHubChecks(
  ask: Ask,
  repo: HostRepoRef,
  { base, head }: CheckedPull,
): Promise<CheckReading> {
  const commit = `${repoPath(repo)}/commits/${head}`;
  const runPages = await pagesOf(ask, `${commit}/check-runs?filter=latest&per_page=100`);
  const suitePages = await pagesOf(ask, `${commit}/check-suites?per_page=100`, [404]);
  const statusPages = await pagesOf(ask, `${commit}/status?per_page=100`);
  const runs = flat(runPages, "check_runs") as CheckRun[];
  const suites = flat(suitePages, "check_suites") as CheckSuite[];
  const statuses = flat(statusPages, "statuses") as CommitStatus[];
  const lists = [
    [runPages, runs],
    [suitePages, suites],
    [statusPages, statuses],
  ] as const;
  const isShort = lists.some(([pages, found]) => (pages?.at(-1)?.total_count ?? 0) > found.length);
  return {
    reports: [
      ...runs.map(({ id, name, status, conclusion, app }) => ({
        ...{ id: `run ${id}`, name, ...(app ? { app: app.id } : {}) },
        state: status === "completed" ? checkState(conclusion) : ("pending" as const),
      })),
      ...suites
        .filter((each) => each.status !== "completed" && (each.latest_check_runs_count ?? 0) > 0)
        .map(({ id, app }) => ({
          ...{ id: `suite ${id}`, name: `suite of ${app?.name ?? id}`, state: "pending" as const },
        })),
      ...statuses.map(statusReport),
    ],
    required: await requiredByGitHub(ask, repo, base),
    ...(isShort ? { unknown: "The code host did not list all checks." } : {}),
  };
}

const statusReport = (
  { id, context, state, status }: CommitStatus,
  index: number,
): CheckReport => ({
  id: `status ${id ?? index}`,
  name: context,
  state: checkState(state ?? status),
});

interface RequiredStatus {
  readonly context: string;
  readonly integration_id?: number | null;
  readonly app_id?: number | null;
}

/** Of the branch's protection, and of the rules of every level. */
async function requiredByGitHub(
  ask: Ask,
  repo: HostRepoRef,
  base: string,
): Promise<readonly RequiredCheck[]> {
  const branch = encodeURIComponent(base);
  // Servers without rules have no such address.
  const rules = flat(
    await pagesOf(ask, `${repoPath(repo)}/rules/branches/${branch}?per_page=100`, [404]),
  ) as { type: string; parameters?: { required_status_checks?: RequiredStatus[] } }[];
  const answer = await ask("GET", `${repoPath(repo)}/branches/${branch}`);
  const { protection } = accepted(answer, "to show the base branch") as {
    protection?: {
      required_status_checks?: {
        enforcement_level?: string;
        contexts?: string[];
        checks?: RequiredStatus[];
      } | null;
    };
  };
  const { enforcement_level: level, contexts, checks } = protection?.required_status_checks ?? {};
  const isProtected = level !== "off";
  const withApps = isProtected ? (checks ?? []) : [];
  const named = isProtected ? (contexts ?? []) : [];
  return [
    ...rules
      .filter(({ type }) => type === "required_status_checks")
      .flatMap(({ parameters }) => parameters?.required_status_checks ?? []),
    ...withApps,
    ...named
      .filter((context) => !withApps.some((each) => each.context === context))
      .map((context): RequiredStatus => ({ context })),
  ].map(({ context, integration_id, app_id }) => {
    const app = integration_id ?? app_id ?? -1;
    // -1 and null stand for any app.
    return { name: context, ...(app >= 0 ? { app } : {}) };
  });
}

/** The list of all statuses, of which the newest of each context counts: the combined status has no links to further pages. */
export async function giteaChecks(
  ask: Ask,
  repo: HostRepoRef,
  { base, head }: CheckedPull,
): Promise<CheckReading> {
  const pages = await pagesOf(ask, `${repoPath(repo)}/commits/${head}/statuses?limit=50`);
  const latest = new Map<string, CommitStatus>();
  for (const each of flat(pages) as CommitStatus[])
    if ((latest.get(each.context)?.id ?? -1) <= (each.id ?? 0)) latest.set(each.context, each);
  const branch = await ask("GET", `${repoPath(repo)}/branches/${encodeURIComponent(base)}`);
  const { enable_status_check: isOn, status_check_contexts: contexts } = accepted(
    branch,
    "to show the base branch",
  ) as { enable_status_check?: boolean; status_check_contexts?: string[] | null };
  return {
    reports: [...latest.values()].map(statusReport),
    required: isOn ? (contexts ?? []).map((name) => ({ name, isPattern: true })) : [],
  };
}
