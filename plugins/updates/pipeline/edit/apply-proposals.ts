/** Carries out what was decided: opens, remakes, supersedes and closes pull requests, within the limits. */
import { accountSettings } from "../../blocks/settings.js";
import type { Update } from "../../decide/contract.js";
import { errorMessage, UpdatesError } from "../../errors.js";
import type { Manager, UpdateEdit } from "../../managers/contract.js";
import type { UpdatesRuntime } from "../../runtime.js";
import { extrasOf } from "../../store/configs.js";
import type { NamedRepo } from "../../store/repos.js";
import type { DependencyOutcome } from "../../store/runs.js";
import type { Config } from "../../store/tables.js";
import type { DependencyDecision } from "../plan/decide-all.js";
import type { IndexedProject } from "../plan/dependency-index.js";
import { prefixOf } from "../plan/naming.js";
import { matchOf, type OpenPull } from "../plan/open-pulls.js";
import { rebases } from "../plan/policy.js";
import { type Proposal, proposalsOf } from "../plan/proposals.js";
import { PullLimits } from "../plan/pull-limits.js";
import { readTexts } from "../plan/sources.js";
import { closePull } from "../publish/close.js";
import { closeObsolete } from "../publish/close-obsolete.js";
import type { JobLease } from "../publish/job-lease.js";
import { openPull, type Publication, rebuildPull } from "../publish/publish.js";
import { reconcilePull } from "../publish/recover.js";

export interface RunContext {
  readonly config: Config;
  readonly repo: NamedRepo;
  readonly names: ReadonlySet<string> | undefined;
  readonly lease: JobLease;
  /** The record of the run. */
  readonly run: number;
  readonly manager: Manager;
  readonly place: IndexedProject;
  readonly decisions: readonly DependencyDecision[];
  readonly updates: readonly Update[];
  readonly open: readonly OpenPull[];
  /** What is decided about these names when some versions are out of the question. */
  readonly lower: (
    names: readonly string[],
    refused: readonly string[],
  ) => Promise<readonly Update[]>;
}

/** Steps down before it is given up: each costs as much as an update. */
const mostAttempts = 5;

export async function applyProposals(
  service: UpdatesRuntime,
  work: RunContext,
): Promise<readonly DependencyOutcome[]> {
  const { config, repo } = work;
  const extras = extrasOf(config);
  const account = accountSettings(service.settings, repo.login);
  const limits = new PullLimits(config, extras, account, work.open);
  const outcomes: DependencyOutcome[] = [];
  const remaining = new Set(work.open);
  const proposals = proposalsOf(work.updates, extras);
  for (const [done, proposal] of proposals.entries()) {
    work.lease.signal.throwIfAborted();
    const stage = { name: "preparing pull requests", done, of: proposals.length };
    service.stages.say(config.id, stage);
    outcomes.push(...(await newestThatFits(service, work, proposal, limits, remaining)));
  }
  if (work.names === undefined) await closeObsolete(service, work, [...remaining]);
  return outcomes;
}

/** What does not go together with everything else gives way to the newest version that does. */
async function newestThatFits(
  service: UpdatesRuntime,
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
      return await proposed(service, work, proposal, match, limits);
    } catch (thrown) {
      if (work.lease.signal.aborted) throw thrown;
      // Where somebody else is at it by now, what is unfinished there is theirs.
      await work.lease.hold();
      await reconcilePull(service, work.repo);
      if (!(thrown instanceof UpdatesError)) throw thrown;
      const why = { reason: thrown.code, why: errorMessage(thrown) };
      failure ??= outcomesOf(proposal, "failed", why);
      proposal =
        thrown.code === "does_not_resolve" ? await below(work, proposal, refused) : undefined;
    }
  }
  return failure ?? [];
}

/** The same dependencies one step further down; undefined where there is none, or several that go to different versions. */
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
  service: UpdatesRuntime,
  work: RunContext,
  proposal: Proposal,
  { same, older }: ReturnType<typeof matchOf>,
  limits: PullLimits,
): Promise<readonly DependencyOutcome[]> {
  const { repo, place } = work;
  const account = accountSettings(service.settings, repo.login);
  if (same) {
    const { pull } = same;
    const shown = { pull: pull.number };
    if (pull.base_sha === place.commit) return outcomesOf(proposal, "pull_request", shown);
    if (!rebases(extrasOf(work.config), account) && pull.base_sha !== "") {
      return outcomesOf(proposal, "pull_request", { ...shown, reason: "base_moved" });
    }
    const branchHead = await place.repository.resolve(pull.head_ref);
    const isOurs =
      branchHead === pull.head_sha ||
      (branchHead !== undefined &&
        (await service.store.pushes.isOurs(repo.id, pull.head_ref, branchHead)));
    if (!isOurs) {
      const why = "Its branch has commits of others, so it is left alone.";
      return outcomesOf(proposal, "pull_request", { ...shown, reason: "foreign_commits", why });
    }
    const edit = await edited(service, work, proposal);
    const present = { ...pull, head_sha: branchHead };
    const remade = await rebuildPull(service, await publication(work, proposal, edit), present);
    await service.queues.follow(remade);
    return outcomesOf(proposal, "pull_request", { ...shown, reason: "remade" });
  }
  const refusal = older.length > 0 ? undefined : limits.refusal(proposal);
  if (refusal) return outcomesOf(proposal, "waiting", refusal);
  // What its makers tell is asked for while the lock file is refreshed.
  const bodyOptions = bodyOptionsFor(service, work, proposal);
  const edit = await edited(service, work, proposal);
  work.lease.signal.throwIfAborted();
  const pull = await openPull(service, {
    ...(await publication(work, proposal, edit)),
    bodyOptions: await bodyOptions,
  });
  limits.opened(proposal);
  for (const { pull: old } of older) {
    await closePull(service, repo, old, {
      reason: "superseded",
      comment: `Superseded by #${pull.number}.`,
      supersededBy: pull.number,
    });
  }
  await service.queues.follow(pull);
  return outcomesOf(proposal, "pull_request", { pull: pull.number });
}

/** Never rejects, and never takes long. */
async function bodyOptionsFor(
  service: UpdatesRuntime,
  { manager, repo }: RunContext,
  { updates }: Proposal,
): Promise<Publication["bodyOptions"]> {
  const [releaseNotes, elsewhere] = await Promise.all([
    service.releaseNotes.of(manager, repo, updates),
    service.releaseNotes.elsewhere(manager, updates),
  ]);
  const commands = service.settings.host?.webhookSecret !== undefined;
  return { releaseNotes, elsewhere, commands };
}

/** @throws UpdatesError */
function edited(
  service: UpdatesRuntime,
  { manager, place, lease: { signal } }: RunContext,
  { updates }: Proposal,
): Promise<UpdateEdit> {
  return manager.update(
    {
      sources: place.sources,
      settings: service.managers.settings,
      changes: updates.map(({ change }) => change),
    },
    {
      ...service.managers.tools(signal),
      read: (paths) => readTexts(place.repository, place.commit, paths),
    },
  );
}

async function publication(
  work: RunContext,
  proposal: Proposal,
  edit: UpdateEdit,
): Promise<Publication> {
  const { config, repo, place, lease, run } = work;
  const extras = extrasOf(config);
  const development = proposal.updates.every(({ change }) => change.dependency.development);
  const prefix = development
    ? (extras.commitPrefixDevelopment ?? extras.commitPrefix)
    : extras.commitPrefix;
  const subjects = prefix === undefined ? await place.repository.subjects(place.commit, 20) : [];
  return {
    config,
    repo,
    place,
    proposal,
    edit,
    lease,
    run,
    labels: extras.labels,
    bodyOptions: {},
    prefix: prefixOf(
      subjects,
      { ...(prefix === undefined ? {} : { prefix }), scope: extras.commitScope ?? false },
      development,
    ),
  };
}

const outcomesOf = (
  { updates }: Proposal,
  kind: DependencyOutcome["kind"],
  more: Pick<DependencyOutcome, "reason" | "why" | "pull">,
): readonly DependencyOutcome[] =>
  updates.map(({ change, from, to }) => ({
    name: change.dependency.name,
    kind,
    ...(from === undefined ? {} : { from }),
    to,
    ...more,
  }));
