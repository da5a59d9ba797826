/** Follows a pull request: checks, rules, and the merge or the reason against it. */
import { accountSettings } from "../../blocks/settings.js";
import { errorMessage, UpdatesError } from "../../errors.js";
import { type CheckState, sumOf } from "../../hosts/contract.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import { extrasOf } from "../../store/configs.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Config, Pull } from "../../store/tables.js";
import { isWithinHours } from "../../timetable/working-hours.js";
import { branchChanged } from "../inbound/branch-changes.js";
import type { JobLease } from "../job-lease.js";
import { rulesOf, verdictOf } from "../plan/merge-rules.js";
import { rebases } from "../plan/policy.js";
import type { Ports } from "../ports.js";
import type { ClosePorts } from "../publish/close.js";
import { closedByUser } from "../publish/close.js";
import type { PublishPorts } from "../publish/publish.js";
import { detectMerge, markMerged } from "../publish/recover.js";
import { localCheck } from "./local-check.js";

/** Milliseconds until pending checks or closed hours are checked again; what needs a reviewer; what the host computes. */
const again = 60_000;
const seldom = 600_000;
const soon = 10_000;

const inQueue = "It is in the merge queue of the code host.";

interface FollowedPull {
  readonly pull: Pull;
  readonly config: Config;
  readonly repo: NamedRepo;
}

export async function followPull(ports: Ports, pullId: number, lease: JobLease): Promise<void> {
  const pull = await ports.pulls.byId(pullId);
  const config = pull && (await ports.configs.byId(pull.config_id));
  const repo = pull && (await ports.repos.byId(pull.repo_id));
  if (pull?.state !== "open" || !config || !repo) return;
  const followed = { pull, config, repo };
  const objection = await anyObjection(ports, followed, lease.signal).catch(unanswered);
  if (objection === "over") return;
  if (objection) {
    await recordDecision(ports, pull, objection.state, objection.why);
    if (objection.state === "refused") await explainRefusal(ports, followed, objection.why);
    if (objection.state === "waiting") await ports.enqueueFollow(pull, objection.after ?? again);
    return;
  }
  await lease.hold();
  await merge(ports, followed);
}

interface Objection {
  /** `refused` until something changes; `waiting` until a later time. */
  readonly state: "refused" | "waiting";
  readonly why: string;
  /** Milliseconds until it is checked again. */
  readonly after?: number;
}

/** `over`: the pull request is closed or merged, or a decision about it is recorded. */
async function anyObjection(
  ports: Ports,
  followed: FollowedPull,
  signal: AbortSignal,
): Promise<Objection | "over" | undefined> {
  const early = await objectionOfHost(ports, followed);
  if (early) return early;
  const objection = await objectionTo(ports, followed, signal);
  // Reviews may change while checks are read.
  return objection ?? objectionOfHost(ports, followed, true);
}

/** What the code host does not answer is no consent. */
function unanswered(thrown: unknown): Objection {
  if (!(thrown instanceof UpdatesError) || !thrown.code.startsWith("host_")) throw thrown;
  const after = Math.max(thrown.retryAfter ?? 0, again);
  return {
    state: "waiting",
    why: `The code host does not say whether it may be merged: ${thrown.message}`,
    after,
  };
}

async function objectionTo(
  ports: Pick<Ports, "checks" | "clock" | "host" | "pulls" | "settings">,
  { pull, config, repo }: FollowedPull,
  signal: AbortSignal,
): Promise<Objection | undefined> {
  const refused = (why: string): Objection => ({ state: "refused", why });
  const checks = await checksOf(ports, { pull, config, repo }, signal);
  const pending: Objection = { state: "waiting", why: checks.why };
  // Rules, notes and hours apply to automatic merges; a requested merge needs checks only.
  if (pull.automerge === "asked") {
    if (checks.state === "failed") return refused(checks.why);
    return checks.state === "pending" ? pending : undefined;
  }
  const dependencies = await ports.pulls.dependenciesOf(pull);
  const manager = await managerOf(config.package_manager as PackageManager);
  const verdict = verdictOf(dependencies, rulesOf(config, manager));
  if (!verdict.matches) return refused(verdict.why);
  if (pull.note !== null) return refused(`Its lock file is not up to date: ${pull.note}`);
  if (checks.state === "failed") return refused(checks.why);
  if (checks.state === "pending") return pending;
  if (checks.state === "none" && checks.wanted) {
    return refused("No check has run, and at least one must pass.");
  }
  const account = accountSettings(ports.settings, repo.login);
  if (!isWithinHours(account.workingHours, ports.clock.now(), account.timeZone)) {
    return { state: "waiting", why: "It will be merged in working hours." };
  }
  return undefined;
}

async function checksOf(
  ports: Pick<Ports, "checks" | "host" | "pulls" | "settings">,
  { pull, config, repo }: FollowedPull,
  signal: AbortSignal,
): Promise<{ readonly state: CheckState; readonly why: string; readonly wanted: boolean }> {
  const policy =
    accountSettings(ports.settings, repo.login).checks ??
    (ports.host.kind === "embedded" ? "none-ok" : "required");
  const hostRepo = hostRepoOf(repo);
  const { number, base, head_sha: head } = pull;
  const checks = await ports.host.checks(hostRepo, { number, base, head });
  const counted = policy === "required" ? checks.required : checks.all;
  let local: CheckState = pull.checks;
  let why = counted.why ?? "Its checks are still pending.";
  if (ports.settings.check && (local === "none" || local === "pending")) {
    const repository = await ports.host.open(hostRepo);
    const result = await localCheck(ports, repository, { config, pull }, signal);
    local = result.passed ? "passed" : "failed";
    if (!result.passed) why = result.why;
    await ports.pulls.change(pull.id, { checks: local });
  } else if (ports.settings.check && local === "failed")
    why = pull.automerge_reason ?? "Its check failed.";
  const sum = sumOf([ports.settings.check ? local : "none", counted.state]);
  if (!ports.settings.check) await ports.pulls.change(pull.id, { checks: sum });
  return { state: sum, why, wanted: policy !== "none-ok" };
}

async function merge(
  ports: PublishPorts &
    Pick<Ports, "configs" | "enqueue" | "enqueueFollow" | "index" | "isShared" | "log" | "repos">,
  { pull, repo, config }: FollowedPull,
): Promise<void> {
  const hostRepo = hostRepoOf(repo);
  const account = accountSettings(ports.settings, repo.login);
  try {
    const result = await ports.host.merge(hostRepo, {
      number: pull.number,
      base: pull.base,
      head: pull.head_sha,
      headRef: pull.head_ref,
      mergeCommit: account.createMergeCommits,
      message: `Merge pull request #${pull.number} from ${pull.head_ref.replace("refs/heads/", "")}\n\n${pull.title}\n`,
      wasQueued: pull.automerge_reason === inQueue,
      at: Math.floor(ports.clock.now() / 1000),
    });
    if (result === "queued") {
      await recordDecision(ports, pull, "waiting", inQueue);
      await ports.enqueueFollow(pull, again);
      return;
    }
    await ports.pulls.change(pull.id, { automerge: "merged", automerge_reason: null });
    await markMerged(ports, repo, pull, result.sha);
    await branchChanged(ports, repo, pull.base);
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError)) throw thrown;
    // Another daemon or a user may have merged it first.
    if ((await objectionOfHost(ports, { pull, repo, config })) === "over") return;
    if (thrown.code === "moved" && rebases(extrasOf(config), account)) {
      // The rebuilt pull request is followed again.
      await recordDecision(ports, pull, "waiting", thrown.message);
      await ports.enqueue([config], "base moved");
      return;
    }
    await recordDecision(ports, pull, "refused", thrown.message);
    await explainRefusal(ports, { pull, repo, config }, thrown.message);
  }
}

/** A user may have merged it, closed it, deleted its branch or reviewed it on the host. */
async function objectionOfHost(
  ports: ClosePorts & Pick<Ports, "configs" | "enqueue" | "isShared" | "pushes" | "repos">,
  { pull, repo, config }: FollowedPull,
  isMerging = false,
): Promise<Objection | "over" | undefined> {
  const hostRepo = hostRepoOf(repo);
  const there = await ports.host.pull(hostRepo, pull.number);
  if (!there) {
    if (ports.host.kind !== "embedded") {
      const why = `The code host does not show #${pull.number}.`;
      return { state: "waiting", why, after: seldom };
    }
    // A daemon may have merged it and died before it recorded the merge.
    const isMerged = ports.isShared && (await detectMerge(ports, repo, pull));
    return isMerged ? "over" : undefined;
  }
  if (there.state === "merged") {
    await markMerged(ports, repo, pull, there.head);
    // The branch may remain after a merge by a user.
    const gone = { ref: pull.head_ref, from: pull.head_sha, to: undefined };
    await ports.host.publish(hostRepo, [gone]).catch(() => undefined);
    return "over";
  }
  if (there.state === "closed") {
    await closedByUser(ports, repo, pull);
    return "over";
  }
  const { pushes } = ports;
  if (there.head !== pull.head_sha) {
    if (!(await pushes.isOurs(repo.id, pull.head_ref, there.head)))
      return { state: "refused", why: "Its branch has commits of others." };
    // Another daemon rebuilt it but did not record the result; a new run does.
    await ports.enqueue([config], "base moved");
    return "over";
  }
  if (there.changesRequested) return { state: "refused", why: "A reviewer requested changes." };
  if (isMerging && there.blocked !== undefined)
    return { state: "waiting", why: there.blocked, after: there.isComputing ? soon : seldom };
  return undefined;
}

/** A requested merge gets a comment with the reason against it. */
async function explainRefusal(
  { host, log }: Pick<Ports, "host" | "log">,
  { pull, repo }: FollowedPull,
  why: string,
): Promise<void> {
  if (pull.automerge !== "asked" || !(host instanceof RemoteHost)) return;
  await host
    .comment(hostRepoOf(repo), pull.number, `Not merged. ${why}`)
    .catch((thrown: unknown) => {
      log.warn("Cannot comment on the pull request", { reason: errorMessage(thrown) });
    });
}

async function recordDecision(
  ports: Pick<Ports, "pulls">,
  pull: Pull,
  automerge: Objection["state"],
  why: string,
): Promise<void> {
  // A requested merge stays requested while it waits.
  const stays = pull.automerge === "asked" && automerge === "waiting";
  await ports.pulls.decide(pull, {
    automerge: stays ? "asked" : automerge,
    automerge_reason: why,
  });
}
