/** What a report of updates says, from the daemon's lists: open proposals and their ages, merge times, what is behind. */
import type { UpdateConfig, UpdateJob, UpdatePull, UpdatesView } from "./screen-data.js";

/** A pull request that waits. */
export interface OpenProposal {
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly security: boolean;
  readonly checks: string;
  /** Milliseconds since it was opened. */
  readonly age: number;
  readonly reason: string;
}

export interface MergedProposal {
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly mergedAt: number;
  /** Milliseconds from opening to the merge. */
  readonly took: number;
}

/** A dependency that the latest finished job of its project found behind. */
export interface BehindDependency {
  readonly repository: string;
  readonly directory: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Milliseconds since the first kept job that found it behind. */
  readonly since: number;
  /** Its pull request, or why there is none. */
  readonly state: string;
}

export interface UpdatesReport {
  readonly repositories: number;
  readonly projects: number;
  /** The oldest first. */
  readonly open: readonly OpenProposal[];
  /** The newest first. */
  readonly merged: readonly MergedProposal[];
  readonly closed: number;
  /** Milliseconds; absent without a merge. */
  readonly mergeTime?: { readonly median: number; readonly p90: number };
  /** The one that is behind for longest first. */
  readonly behind: readonly BehindDependency[];
}

export function updatesReport(
  { repos, configs, jobs, pulls }: UpdatesView,
  now: number,
): UpdatesReport {
  const merged = pulls
    .filter(({ state }) => state === "merged")
    .map(mergedProposal)
    .sort((a, b) => b.mergedAt - a.mergedAt);
  const times = merged.map(({ took }) => took).sort((a, b) => a - b);
  return {
    repositories: repos.length,
    projects: configs.length,
    open: pulls
      .filter(({ state }) => state === "open" || state === "preparing")
      .map((pull) => openProposal(pull, now))
      .sort((a, b) => b.age - a.age),
    merged,
    closed: pulls.filter(({ state }) => state === "closed").length,
    ...(times.length > 0 && {
      mergeTime: { median: quantile(times, 0.5), p90: quantile(times, 0.9) },
    }),
    behind: configs
      .flatMap((config) => behindOf(config, jobs, now))
      .sort((a, b) => b.since - a.since),
  };
}

const openProposal = (pull: UpdatePull, now: number): OpenProposal => ({
  ...{ repository: pull.repo, number: pull.number, title: pull.title },
  ...{ security: pull.security, checks: pull.checks },
  age: Math.max(0, now - Date.parse(pull["created-at"])),
  reason: pull.note ?? pull["automerge-reason"] ?? "",
});

/** A merged pull request does not change any more: its last change is the merge. */
function mergedProposal(pull: UpdatePull): MergedProposal {
  const mergedAt = Date.parse(pull["updated-at"]);
  const took = Math.max(0, mergedAt - Date.parse(pull["created-at"]));
  return { repository: pull.repo, number: pull.number, title: pull.title, mergedAt, took };
}

/** Nearest rank, of sorted values. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

function behindOf(
  config: UpdateConfig,
  jobs: readonly UpdateJob[],
  now: number,
): readonly BehindDependency[] {
  const own = jobs
    .filter((job) => job.config === config.id && job["finished-at"] !== null)
    .sort((a, b) => Date.parse(b["started-at"]) - Date.parse(a["started-at"]));
  const [latest] = own;
  return (latest?.outcomes ?? []).flatMap(({ name, from, to, number, why, reason }) => {
    if (from === undefined || to === undefined || from === to) return [];
    const found = own.findLast(({ outcomes }) =>
      outcomes.some((each) => each.name === name && each.from === from && each.to !== undefined),
    );
    const at = Date.parse(found?.["started-at"] ?? latest?.["started-at"] ?? "");
    const state = number === undefined ? (why ?? reason ?? "") : `pull request #${number}`;
    const since = Math.max(0, now - at);
    return [{ repository: config.repo, directory: config.directory, name, from, to, since, state }];
  });
}
