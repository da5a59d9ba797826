/** What follows a pull request: its checks, the rules, the merge, and the reason where there is none. */

import { accountSettings } from "../../blocks/settings.js";
import { errorMessage, UpdatesError } from "../../errors.js";
import type { CheckState } from "../../hosts/contract.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import type { UpdatesRuntime } from "../../runtime.js";
import { extrasOf } from "../../store/configs.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Config, Pull } from "../../store/tables.js";
import { isWithinHours } from "../../timetable/working-hours.js";
import { rulesOf, verdictOf } from "../plan/merge-rules.js";
import { rebases } from "../plan/policy.js";
import { closePull } from "../publish/close.js";
import type { JobLease } from "../publish/job-lease.js";
import { detectMerge, markMerged } from "../publish/recover.js";
import { localCheck } from "./local-check.js";

/** Milliseconds until checks that are under way, or closed hours, are looked at again. */
const again = 60_000;

interface FollowedPull {
  readonly pull: Pull;
  readonly config: Config;
  readonly repo: NamedRepo;
}

export async function followPull(
  service: UpdatesRuntime,
  pullId: number,
  lease: JobLease,
): Promise<void> {
  const { store } = service;
  const pull = await store.pulls.byId(pullId);
  const config = pull && (await store.configs.byId(pull.config_id));
  const repo = pull && (await store.repos.byId(pull.repo_id));
  if (pull?.state !== "open" || !config || !repo) return;
  const followed = { pull, config, repo };
  if (await isOver(service, followed)) return;
  const objection = await objectionTo(service, followed, lease.signal);
  if (objection) {
    await recordDecision(service, pull, objection.state, objection.why);
    if (objection.state === "refused") await explainRefusal(service, followed, objection.why);
    if (objection.state === "waiting") await service.queues.follow(pull, again);
    return;
  }
  await lease.hold();
  await merge(service, followed);
}

interface Objection {
  /** `refused` until something changes; `waiting` until time has passed. */
  readonly state: "refused" | "waiting";
  readonly why: string;
}

async function objectionTo(
  service: UpdatesRuntime,
  { pull, config, repo }: FollowedPull,
  signal: AbortSignal,
): Promise<Objection | undefined> {
  const refused = (why: string): Objection => ({ state: "refused", why });
  const checks = await checksOf(service, { pull, config, repo }, signal);
  const pending: Objection = { state: "waiting", why: "Its checks are not over yet." };
  // Rules, notes and hours are about merging unasked: whoever asks has read the pull request.
  if (pull.automerge === "asked") {
    if (checks.state === "failed") return refused(checks.why);
    return checks.state === "pending" ? pending : undefined;
  }
  const dependencies = (await service.store.pulls.dependencies([pull.id])).get(pull.id) ?? [];
  const manager = await managerOf(config.package_manager as PackageManager);
  const verdict = verdictOf(dependencies, rulesOf(config, manager));
  if (!verdict.matches) return refused(verdict.why);
  if (pull.note !== null) return refused(`Its lock file is not up to date: ${pull.note}`);
  if (checks.state === "failed") return refused(checks.why);
  if (checks.state === "pending") return pending;
  if (checks.state === "none" && checks.wanted) {
    return refused("No check has looked at it, and at least one has to.");
  }
  const account = accountSettings(service.settings, repo.login);
  if (!isWithinHours(account.workingHours, service.context.clock.now(), account.timeZone)) {
    return { state: "waiting", why: "It is merged in working hours." };
  }
  return undefined;
}

async function checksOf(
  service: UpdatesRuntime,
  { pull, config, repo }: FollowedPull,
  signal: AbortSignal,
): Promise<{ readonly state: CheckState; readonly why: string; readonly wanted: boolean }> {
  const policy =
    accountSettings(service.settings, repo.login).checks ??
    (service.host.kind === "embedded" ? "none-ok" : "required");
  const place = hostRepoOf(repo);
  const { state, required } = await service.host.checks(place, pull.head_sha);
  const counted = policy === "required" ? (required ?? state) : state;
  let local: CheckState = pull.checks;
  let why = "A check of the code host failed.";
  if (service.settings.check && (local === "none" || local === "pending")) {
    const repository = await service.host.open(place);
    const result = await localCheck(service, repository, { config, pull }, signal);
    local = result.passed ? "passed" : "failed";
    why = result.why;
    await service.store.pulls.change(pull.id, { checks: local });
  } else if (service.settings.check && local === "failed")
    why = pull.automerge_reason ?? "Its check failed.";
  const sum = summed(service.settings.check ? local : "none", counted);
  if (!service.settings.check) await service.store.pulls.change(pull.id, { checks: sum });
  return { state: sum, why, wanted: policy !== "none-ok" };
}

function summed(...states: readonly CheckState[]): CheckState {
  for (const state of ["failed", "pending", "passed"] as const) {
    if (states.includes(state)) return state;
  }
  return "none";
}

async function merge(service: UpdatesRuntime, { pull, repo, config }: FollowedPull): Promise<void> {
  const place = hostRepoOf(repo);
  const account = accountSettings(service.settings, repo.login);
  try {
    const sha = await service.host.merge(place, {
      number: pull.number,
      base: pull.base,
      head: pull.head_sha,
      headRef: pull.head_ref,
      mergeCommit: account.createMergeCommits,
      message: `Merge pull request #${pull.number} from ${pull.head_ref.replace("refs/heads/", "")}\n\n${pull.title}\n`,
      at: Math.floor(service.context.clock.now() / 1000),
    });
    await service.store.pulls.change(pull.id, { automerge: "merged", automerge_reason: null });
    await markMerged(service, repo, pull, sha);
    await service.branchChanged(repo, pull.base);
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError)) throw thrown;
    // Another daemon, or somebody, may have been sooner.
    if (await isOver(service, { pull, repo, config })) return;
    if (thrown.code === "moved" && rebases(extrasOf(config), account)) {
      // Made again on top of the new base, it is followed again.
      await recordDecision(service, pull, "waiting", thrown.message);
      await service.enqueue([config], "base moved");
      return;
    }
    await recordDecision(service, pull, "refused", thrown.message);
    await explainRefusal(service, { pull, repo, config }, thrown.message);
  }
}

async function isOver(service: UpdatesRuntime, followed: FollowedPull): Promise<boolean> {
  if (service.host.kind !== "embedded") return closedElsewhere(service, followed);
  // A daemon that has merged it and died could not write it down.
  return service.store.isShared && detectMerge(service, followed.repo, followed.pull);
}

/** Somebody merged or closed it on the host, or deleted its branch: that is an answer. */
async function closedElsewhere(
  service: UpdatesRuntime,
  { pull, repo, config }: FollowedPull,
): Promise<boolean> {
  const place = hostRepoOf(repo);
  const there = await service.host.pull(place, pull.number);
  if (there?.state === "merged") {
    await markMerged(service, repo, pull, there.head);
    // Whoever merged it may not have come to that.
    const gone = { ref: pull.head_ref, from: pull.head_sha, to: undefined };
    await service.host.publish(place, [gone]).catch(() => undefined);
    return true;
  }
  if (there?.state === "closed") {
    await closedByUser(service, { pull, repo, config });
    return true;
  }
  if (!there) return false;
  const { pushes } = service.store;
  if (there.head !== pull.head_sha && (await pushes.isOurs(repo.id, pull.head_ref, there.head))) {
    // It was made again, and whoever did so could not write it down: another run does.
    await service.enqueue([config], "base moved");
    return true;
  }
  const why = there.changesRequested
    ? "Somebody asked for changes."
    : there.head === pull.head_sha
      ? undefined
      : "Its branch has commits of others.";
  if (why === undefined) return false;
  await recordDecision(service, pull, "refused", why);
  await explainRefusal(service, { pull, repo, config }, why);
  return true;
}

/** What people close is not offered again; newer versions are. */
export async function closedByUser(
  service: UpdatesRuntime,
  { pull, repo, config }: FollowedPull,
): Promise<Pull> {
  const dependencies = (await service.store.pulls.dependencies([pull.id])).get(pull.id) ?? [];
  for (const { name, to_version } of dependencies) {
    await service.store.configs.ignore(config.id, name, to_version);
  }
  return closePull(service, repo, pull, {
    reason: "by_user",
    comment: "These versions are not offered again; newer ones are.",
  });
}

/** Whoever asked for the merge is told why there is none. */
async function explainRefusal(
  { host, context }: UpdatesRuntime,
  { pull, repo }: FollowedPull,
  why: string,
): Promise<void> {
  if (pull.automerge !== "asked" || !(host instanceof RemoteHost)) return;
  await host
    .comment(hostRepoOf(repo), pull.number, `Not merged. ${why}`)
    .catch((thrown: unknown) => {
      context.log.warn("a comment could not be made", { reason: errorMessage(thrown) });
    });
}

async function recordDecision(
  service: UpdatesRuntime,
  pull: Pull,
  automerge: Objection["state"],
  why: string,
): Promise<void> {
  // Whoever asked for the merge gets it when what it waits for is over.
  const stays = pull.automerge === "asked" && automerge === "waiting";
  await service.store.pulls.decide(pull, {
    automerge: stays ? "asked" : automerge,
    automerge_reason: why,
  });
}
