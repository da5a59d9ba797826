/** Carries out proposals: opens, rebuilds, supersedes and closes pull requests, within the limits. */
import { accountSettings } from "../../blocks/settings.js";
import type { Update } from "../../decide/contract.js";
import { errorMessage, UpdatesError } from "../../errors.js";
import type { Manager, UpdateEdit } from "../../managers/contract.js";
import { extrasOf } from "../../store/configs.js";
import type { NamedRepo } from "../../store/repos.js";
import type { DependencyOutcome } from "../../store/runs.js";
import type { Config } from "../../store/tables.js";
import type { IndexedProject } from "../dependency-index.js";
import type { JobLease } from "../job-lease.js";
import type { DependencyDecision } from "../plan/decisions.js";
import { titlePrefix } from "../plan/naming.js";
import { matchOf, type OpenPull } from "../plan/open-pulls.js";
import { rebases } from "../plan/policy.js";
import { closedSetOf, type Proposal, proposalsOf } from "../plan/proposals.js";
import { PullLimits } from "../plan/pull-limits.js";
import type { Ports } from "../ports.js";
import { closePull } from "../publish/close.js";
import { closeObsolete } from "../publish/close-obsolete.js";
import type { PublishPorts } from "../publish/publish.js";
import { openPull, type Publication, rebuildPull } from "../publish/publish.js";
import { reconcilePull } from "../publish/recover.js";
import { readTexts } from "../sources.js";

export type EditPorts = PublishPorts &
  Pick<Ports, "enqueueFollow" | "log" | "managers" | "releaseNotes" | "stages">;

export interface RunContext {
  readonly config: Config;
  readonly repo: NamedRepo;
  readonly names: ReadonlySet<string> | undefined;
  readonly lease: JobLease;
  /** The id of the run's record. */
  readonly run: number;
  readonly manager: Manager;
  readonly project: IndexedProject;
  readonly decisions: readonly DependencyDecision[];
  readonly updates: readonly Update[];
  readonly open: readonly OpenPull[];
  /** Decides again about these names, without the refused versions. */
  readonly lower: (
    names: readonly string[],
    refused: readonly string[],
  ) => Promise<readonly Update[]>;
}

/** Attempts with lower versions; each costs as much as an update. */
const mostAttempts = 5;

export async function applyProposals(
  ports: EditPorts,
  work: RunContext,
): Promise<readonly DependencyOutcome[]> {
  const { config, repo } = work;
  const extras = extrasOf(config);
  const account = accountSettings(ports.settings, repo.login);
  const limits = new PullLimits(config, extras, account, work.open);
  const outcomes: DependencyOutcome[] = [];
  const remaining = new Set(work.open);
  const proposals = proposalsOf(work.updates, extras);
  const closed = await ports.pulls.closedByPerson(config.id);
  for (const [done, proposal] of proposals.entries()) {
    work.lease.signal.throwIfAborted();
    const stage = { name: "preparing pull requests", done, of: proposals.length };
    ports.stages.say(config.id, stage);
    const why = closedSetOf(proposal, closed, work.manager.versioning);
    if (why !== undefined) {
      outcomes.push(...outcomesOf(proposal, "none", { reason: "ignored", why }));
      continue;
    }
    outcomes.push(...(await newestThatFits(ports, work, proposal, limits, remaining)));
  }
  if (work.names === undefined) await closeObsolete(ports, work, [...remaining]);
  return outcomes;
}

/** If a version does not resolve, falls back to the newest one that does. */
async function newestThatFits(
  ports: PublishPorts & Pick<Ports, "enqueueFollow" | "log" | "managers" | "releaseNotes">,
  work: RunContext,
  first: Proposal,
  limits: PullLimits,
  remaining: Set<OpenPull>,
): Promise<readonly DependencyOutcome[]> {
  const refused: string[] = [];
  const branchHead = [...remaining];
  let failure: readonly DependencyOutcome[] | undefined;
  let proposal: Proposal | undefined = first;
  while (proposal) {
    const match = matchOf(proposal, branchHead);
    for (const each of [...match.older, ...(match.same ? [match.same] : [])])
      remaining.delete(each);
    try {
      return await proposed(ports, work, proposal, match, limits);
    } catch (thrown) {
      if (work.lease.signal.aborted) throw thrown;
      // Another daemon may have taken over; then it owns the unfinished work.
      await work.lease.hold();
      await reconcilePull(ports, work.repo);
      if (!(thrown instanceof UpdatesError)) throw thrown;
      const why = { reason: thrown.code, why: errorMessage(thrown) };
      failure ??= outcomesOf(proposal, "failed", why);
      proposal =
        thrown.code === "does_not_resolve" ? await below(work, proposal, refused) : undefined;
    }
  }
  return failure ?? [];
}

/** The same dependencies with lower versions; `undefined` if there are none, or if they move to different versions. */
async function below(
  { config, lower }: RunContext,
  { names, updates }: Proposal,
  refused: string[],
): Promise<Proposal | undefined> {
  const versions = new Set(updates.map(({ to }) => to));
  if (versions.size !== 1 || refused.length === mostAttempts) return undefined;
  refused.push(...versions);
  const [next, ...others] = proposalsOf(await lower(names, refused), extrasOf(config));
  return others.length === 0 ? next : undefined;
}

async function proposed(
  ports: PublishPorts & Pick<Ports, "enqueueFollow" | "log" | "managers" | "releaseNotes">,
  work: RunContext,
  proposal: Proposal,
  { same, older }: ReturnType<typeof matchOf>,
  limits: PullLimits,
): Promise<readonly DependencyOutcome[]> {
  const { repo, project } = work;
  const account = accountSettings(ports.settings, repo.login);
  if (same) {
    const { pull } = same;
    const shown = { pull: pull.id, number: pull.number };
    if (pull.base_sha === project.commit) return outcomesOf(proposal, "pull_request", shown);
    if (!rebases(extrasOf(work.config), account) && pull.base_sha !== "") {
      return outcomesOf(proposal, "pull_request", { ...shown, reason: "base_moved" });
    }
    const branchHead = await project.repository.resolve(pull.head_ref);
    const isOurs =
      branchHead === pull.head_sha ||
      (branchHead !== undefined && (await ports.pushes.isOurs(repo.id, pull.head_ref, branchHead)));
    if (!isOurs) {
      const why = "Its branch has commits of others, so it is left alone.";
      return outcomesOf(proposal, "pull_request", { ...shown, reason: "foreign_commits", why });
    }
    const edit = await edited(ports, work, proposal);
    const present = { ...pull, head_sha: branchHead };
    const remade = await rebuildPull(ports, await publication(work, proposal, edit), present);
    await ports.enqueueFollow(remade);
    return outcomesOf(proposal, "pull_request", { ...shown, reason: "remade" });
  }
  const refusal = older.length > 0 ? undefined : limits.refusal(proposal);
  if (refusal) return outcomesOf(proposal, "waiting", refusal);
  // Find release notes while the lock file is refreshed.
  const bodyOptions = bodyOptionsFor(ports, work, proposal);
  const edit = await edited(ports, work, proposal);
  work.lease.signal.throwIfAborted();
  const pull = await openPull(ports, {
    ...(await publication(work, proposal, edit)),
    bodyOptions: await bodyOptions,
  });
  limits.opened(proposal);
  for (const { pull: old } of older) {
    await closePull(ports, repo, old, {
      reason: "superseded",
      comment: `Superseded by #${pull.number}.`,
      supersededBy: pull.number,
    });
  }
  await ports.enqueueFollow(pull);
  return outcomesOf(proposal, "pull_request", { pull: pull.id, number: pull.number });
}

/** Never rejects, and returns soon. */
async function bodyOptionsFor(
  ports: Pick<Ports, "releaseNotes" | "settings">,
  { manager, repo }: RunContext,
  { updates }: Proposal,
): Promise<Publication["bodyOptions"]> {
  const [releaseNotes, elsewhere] = await Promise.all([
    ports.releaseNotes.of(manager, repo, updates),
    ports.releaseNotes.elsewhere(manager, updates),
  ]);
  const commands = ports.settings.host?.webhookSecret !== undefined;
  return { releaseNotes, elsewhere, commands };
}

/** @throws UpdatesError */
function edited(
  ports: Pick<Ports, "managers">,
  { manager, project, lease: { signal } }: RunContext,
  { updates }: Proposal,
): Promise<UpdateEdit> {
  return manager.update(
    {
      sources: project.sources,
      settings: ports.managers.settings,
      changes: updates.map(({ change }) => change),
    },
    {
      ...ports.managers.tools(signal),
      read: (paths) => readTexts(project.repository, project.commit, paths),
    },
  );
}

async function publication(
  work: RunContext,
  proposal: Proposal,
  edit: UpdateEdit,
): Promise<Publication> {
  const { config, repo, project, lease, run } = work;
  const extras = extrasOf(config);
  const development = proposal.updates.every(({ change }) => change.dependency.development);
  const prefix = development
    ? (extras.commitPrefixDevelopment ?? extras.commitPrefix)
    : extras.commitPrefix;
  const subjects =
    prefix === undefined ? await project.repository.subjects(project.commit, 20) : [];
  return {
    config,
    repo,
    project,
    proposal,
    edit,
    lease,
    run,
    labels: extras.labels,
    bodyOptions: {},
    prefix: titlePrefix(
      subjects,
      { ...(prefix === undefined ? {} : { prefix }), scope: extras.commitScope ?? false },
      development,
    ),
  };
}

const outcomesOf = (
  { updates }: Proposal,
  kind: DependencyOutcome["kind"],
  more: Pick<DependencyOutcome, "reason" | "why" | "pull" | "number">,
): readonly DependencyOutcome[] =>
  updates.map(({ change, from, to }) => ({
    name: change.dependency.name,
    kind,
    ...(from === undefined ? {} : { from }),
    to,
    ...more,
  }));
