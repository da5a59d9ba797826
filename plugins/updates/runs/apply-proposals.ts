/** Carries out what was decided: opens, remakes, supersedes and closes pull requests, within the limits. */
import { accountSettings } from "../blocks/settings.js";
import type { Manager, Update, UpdateEdit } from "../engine.js";
import { errorMessage, UpdatesError } from "../errors.js";
import type { UpdatesRuntime } from "../runtime.js";
import { extrasOf } from "../store/configs.js";
import type { NamedRepo } from "../store/repos.js";
import type { Outcome } from "../store/runs.js";
import type { Config } from "../store/tables.js";
import { closePull } from "./close.js";
import { closeObsolete } from "./close-obsolete.js";
import type { DependencyDecision } from "./decide-all.js";
import type { ReadPlace } from "./indexer.js";
import type { JobLease } from "./job-lease.js";
import { Limits } from "./limits.js";
import { prefixOf } from "./naming.js";
import { matchOf, type OpenPull } from "./open-pulls.js";
import { rebases } from "./policy.js";
import { type Proposal, proposalsOf } from "./proposals.js";
import { openPull, type Publication, rebuildPull } from "./publish.js";
import { reconcilePull } from "./recover.js";
import { readTexts } from "./sources.js";

export interface Work {
  readonly config: Config;
  readonly repo: NamedRepo;
  readonly names: ReadonlySet<string> | undefined;
  readonly tenure: JobLease;
  /** The record of the run. */
  readonly run: number;
  readonly manager: Manager;
  readonly place: ReadPlace;
  readonly looked: readonly DependencyDecision[];
  readonly updates: readonly Update[];
  readonly open: readonly OpenPull[];
  /** What is decided about these names when some versions are out of the question. */
  readonly lower: (
    names: readonly string[],
    refused: readonly string[],
  ) => Promise<readonly Update[]>;
}

/** Steps down before it is given up: each costs as much as an update. */
const STEPS = 5;

export async function applyProposals(
  service: UpdatesRuntime,
  work: Work,
): Promise<readonly Outcome[]> {
  const { config, repo } = work;
  const extras = extrasOf(config);
  const account = accountSettings(service.settings, repo.login);
  const limits = new Limits(config, extras, account, work.open);
  const outcomes: Outcome[] = [];
  const remaining = new Set(work.open);
  const proposals = proposalsOf(work.updates, extras);
  for (const [done, proposal] of proposals.entries()) {
    work.tenure.signal.throwIfAborted();
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
  work: Work,
  first: Proposal,
  limits: Limits,
  remaining: Set<OpenPull>,
): Promise<readonly Outcome[]> {
  const refused: string[] = [];
  const standing = [...remaining];
  let failure: readonly Outcome[] | undefined;
  let proposal: Proposal | undefined = first;
  while (proposal) {
    const match = matchOf(proposal, standing);
    for (const each of [...match.older, ...(match.same ? [match.same] : [])])
      remaining.delete(each);
    try {
      return await proposed(service, work, proposal, match, limits);
    } catch (thrown) {
      if (work.tenure.signal.aborted) throw thrown;
      // Where somebody else is at it by now, what is unfinished there is theirs.
      await work.tenure.hold();
      await reconcilePull(service, work.repo);
      if (!(thrown instanceof UpdatesError)) throw thrown;
      const why = { reason: thrown.code, why: errorMessage(thrown) };
      failure ??= told(proposal, "failed", why);
      proposal =
        thrown.code === "does_not_resolve" ? await below(work, proposal, refused) : undefined;
    }
  }
  return failure ?? [];
}

/** The same dependencies one step further down; undefined where there is none, or several that go to different versions. */
async function below(
  { config, lower }: Work,
  { names, updates }: Proposal,
  refused: string[],
): Promise<Proposal | undefined> {
  const versions = new Set(updates.map(({ to }) => to));
  if (versions.size !== 1 || refused.length === STEPS) return undefined;
  refused.push(...versions);
  const [next, ...others] = proposalsOf(await lower(names, refused), extrasOf(config));
  return others.length === 0 ? next : undefined;
}

async function proposed(
  service: UpdatesRuntime,
  work: Work,
  proposal: Proposal,
  { same, older }: ReturnType<typeof matchOf>,
  limits: Limits,
): Promise<readonly Outcome[]> {
  const { repo, place } = work;
  const account = accountSettings(service.settings, repo.login);
  if (same) {
    const { pull } = same;
    const shown = { pull: pull.number };
    if (pull.base_sha === place.commit) return told(proposal, "pull_request", shown);
    if (!rebases(extrasOf(work.config), account) && pull.base_sha !== "") {
      return told(proposal, "pull_request", { ...shown, reason: "base_moved" });
    }
    const standing = await place.repository.resolve(pull.head_ref);
    const isOurs =
      standing === pull.head_sha ||
      (standing !== undefined &&
        (await service.store.pushes.isOurs(repo.id, pull.head_ref, standing)));
    if (!isOurs) {
      const why = "Its branch has commits of others, so it is left alone.";
      return told(proposal, "pull_request", { ...shown, reason: "foreign_commits", why });
    }
    const edit = await edited(service, work, proposal);
    const present = { ...pull, head_sha: standing };
    const remade = await rebuildPull(service, await publication(work, proposal, edit), present);
    await service.queues.follow(remade);
    return told(proposal, "pull_request", { ...shown, reason: "remade" });
  }
  const refusal = older.length > 0 ? undefined : limits.refusal(proposal);
  if (refusal) return told(proposal, "waiting", refusal);
  // What its makers tell is asked for while the lock file is refreshed.
  const telling = tellingOf(service, work, proposal);
  const edit = await edited(service, work, proposal);
  work.tenure.signal.throwIfAborted();
  const pull = await openPull(service, {
    ...(await publication(work, proposal, edit)),
    told: await telling,
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
  return told(proposal, "pull_request", { pull: pull.number });
}

/** Never rejects, and never takes long. */
async function tellingOf(
  service: UpdatesRuntime,
  { manager, repo }: Work,
  { updates }: Proposal,
): Promise<Publication["told"]> {
  const [stories, elsewhere] = await Promise.all([
    service.stories.of(manager, repo, updates),
    service.stories.elsewhere(manager, updates),
  ]);
  const commands = service.settings.host?.webhookSecret !== undefined;
  return { stories, elsewhere, commands };
}

/** @throws UpdatesError */
function edited(
  service: UpdatesRuntime,
  { manager, place, tenure: { signal } }: Work,
  { updates }: Proposal,
): Promise<UpdateEdit> {
  return manager.update(
    {
      sources: place.sources,
      settings: service.engine.settings,
      changes: updates.map(({ change }) => change),
    },
    {
      ...service.engine.tools(signal),
      read: (paths) => readTexts(place.repository, place.commit, paths),
    },
  );
}

async function publication(work: Work, proposal: Proposal, edit: UpdateEdit): Promise<Publication> {
  const { config, repo, place, tenure, run } = work;
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
    tenure,
    run,
    labels: extras.labels,
    told: {},
    prefix: prefixOf(
      subjects,
      { ...(prefix === undefined ? {} : { prefix }), scope: extras.commitScope ?? false },
      development,
    ),
  };
}

const told = (
  { updates }: Proposal,
  kind: Outcome["kind"],
  more: Pick<Outcome, "reason" | "why" | "pull">,
): readonly Outcome[] =>
  updates.map(({ change, from, to }) => ({
    name: change.dependency.name,
    kind,
    ...(from === undefined ? {} : { from }),
    to,
    ...more,
  }));
