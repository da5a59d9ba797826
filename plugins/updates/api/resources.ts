/** Converts records to resource objects. */
import type { AccountSettings, UpdatesSettings } from "../blocks/settings.js";
import { languageOf } from "../pipeline/plan/naming.js";
import { type ConfigExtras, extrasOf } from "../store/configs.js";
import type { NamedRepo } from "../store/repos.js";
import type { DependencyOutcome } from "../store/runs.js";
import type { Account, Config, Pull, PullDependency, RunRow } from "../store/tables.js";

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}
export type Names = UpdatesSettings["attributeNames"];

const identifier = (type: string, id: number) => ({ id: String(id), type });

/** Spells attributes about the code host as the settings say. */
function named(attributes: Record<string, unknown>, names: Names): Record<string, unknown> {
  if (names === "host") return attributes;
  const entries = Object.entries(attributes).flatMap(([name, value]) => {
    if (!name.startsWith("host-")) return [[name, value]];
    const original = [name.replace("host-", "github-"), value];
    return names === "both" ? [[name, value], original] : [original];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

export function accountResource(
  account: Account,
  settings: AccountSettings,
  names: Names,
): Resource {
  return {
    ...identifier("accounts", account.id),
    attributes: named(
      {
        "host-id": account.host_id,
        "host-login": account.login,
        "host-account-type": account.type,
        "access-granted-to-all-repos": true,
        "current-installation-id": account.host_id,
        "plan-name": "self-hosted",
        "plan-number": 0,
        "free-trial-end-date": null,
        "automatically-rebase-prs": settings.automaticallyRebase,
        "update-run-time": settings.updateRunTime,
        "create-merge-commits": settings.createMergeCommits,
        "weekly-update-run-day": settings.weeklyUpdateRunDay,
        "limit-initial-update-runs": settings.limitInitial,
        "limit-open-pull-requests": settings.limitOpen,
        "open-pull-requests-limit": settings.openLimit,
        "time-zone": settings.timeZone,
        "automerge-working-hours": workingHours(settings.workingHours),
      },
      names,
    ),
  };
}

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

function workingHours(written: readonly string[]): Record<string, unknown> | null {
  if (written.length === 0) return null;
  return Object.fromEntries(
    DAYS.map((day) => {
      const [, start, end] =
        written
          .map((each) => /^(\S+) (.+)-(.+)$/.exec(each)?.slice(1) ?? [])
          .find(([name]) => name === day) ?? [];
      return [
        day,
        { start: start ?? "00:00", end: end ?? "00:00", "working-day": start !== undefined },
      ];
    }),
  );
}

export function repoResource(repo: NamedRepo, configs: readonly Config[], names: Names): Resource {
  return {
    ...identifier("repos", repo.id),
    attributes: named(
      {
        "host-id": repo.host_id,
        name: repo.name,
        "installation-state": configs.length > 0 || repo.config_file ? "active" : "inactive",
        private: repo.private === 1,
        fork: repo.fork === 1,
        "host-url": repo.url,
        "primary-language": repo.language || null,
        "default-branch": repo.default_branch,
        "using-config-file": repo.config_file !== null,
      },
      names,
    ),
    relationships: {
      "update-configs": { data: configs.map(({ id }) => identifier("update-configs", id)) },
      account: { data: identifier("accounts", repo.account_id) },
    },
  };
}

export function configResource(config: Config): Resource {
  const extras: ConfigExtras = extrasOf(config);
  return {
    ...identifier("update-configs", config.id),
    attributes: {
      language: languageOf(config.package_manager),
      "package-manager": config.package_manager_spelling,
      "update-schedule": config.update_schedule,
      directory: config.directory,
      "automerge-rule-runtime-deps": config.automerge_runtime,
      "automerge-rule-development-deps": config.automerge_development,
      "target-branch": config.target_branch === "" ? null : config.target_branch,
      "lockfile-only": config.lockfile_only === 1,
      "security-updates-only": config.security_updates_only === 1,
      "update-subdependencies": extras.updateSubdependencies ?? false,
      "requirements-update-strategy": extras.requirementsUpdateStrategy ?? null,
      "automerge-whitelist": extras.automergeWhitelist ?? [],
      "open-pull-requests-limit": extras.openPullRequestsLimit ?? null,
      "last-run-at": moment(config.last_run_at),
      "next-run-at": moment(config.next_run_at),
      trouble: config.trouble,
    },
    relationships: { repo: { data: identifier("repos", config.repo_id) } },
  };
}

/** In older records `pull` is the number. */
function withNumber(outcome: DependencyOutcome): DependencyOutcome {
  const { pull, ...rest } = outcome;
  return pull === undefined || outcome.number !== undefined ? outcome : { ...rest, number: pull };
}

export function runResource(run: RunRow): Resource {
  const outcomes = (JSON.parse(run.outcomes) as readonly DependencyOutcome[]).map(withNumber);
  return {
    ...identifier("runs", run.id),
    attributes: {
      trigger: run.trigger,
      state: run.state,
      reason: run.reason,
      "started-at": moment(run.started_at),
      "finished-at": moment(run.finished_at),
      outcomes,
    },
    relationships: {
      "update-config": { data: identifier("update-configs", run.config_id) },
      repo: { data: identifier("repos", run.repo_id) },
    },
  };
}

export function pullResource(pull: Pull, dependencies: readonly PullDependency[]): Resource {
  return {
    ...identifier("pull-requests", pull.id),
    attributes: {
      number: pull.number,
      state: pull.state,
      reason: pull.reason,
      title: pull.title,
      body: pull.body,
      base: pull.base,
      "head-ref": pull.head_ref,
      "head-sha": pull.head_sha,
      checks: pull.checks,
      automerge: pull.automerge,
      "automerge-reason": pull.automerge_reason,
      note: pull.note,
      security: pull.security === 1,
      labels: JSON.parse(pull.labels) as readonly string[],
      "superseded-by": pull.superseded_by,
      "merged-sha": pull.merged_sha,
      "created-at": moment(pull.created_at),
      "updated-at": moment(pull.updated_at),
      dependencies: dependencies.map((each) => ({
        name: each.name,
        from: each.from_version,
        to: each.to_version,
        kind: each.kind,
        "update-type": each.update_type,
        "in-range": each.in_range === 1,
        security: each.security === 1,
      })),
    },
    relationships: {
      repo: { data: identifier("repos", pull.repo_id) },
      "update-config": { data: identifier("update-configs", pull.config_id) },
    },
  };
}

/** `MAX_SAFE_INTEGER` means never. */
const moment = (at: number | null): string | null =>
  at === null || at === Number.MAX_SAFE_INTEGER ? null : new Date(at).toISOString();
