/** One run of one config: look, decide, edit, open. */
import { accountSettings } from "../blocks/settings.js";

import { type Dependency, managerOf, type PackageManager, type Update } from "../engine.js";
import type { UpdatesRuntime } from "../runtime.js";
import { extrasOf, type Project } from "../store/configs.js";
import type { NamedRepo } from "../store/repos.js";
import type { Outcome } from "../store/runs.js";
import type { Config } from "../store/tables.js";
import { applyProposals } from "./apply-proposals.js";
import { type DependencyDecision, decideAll, type Failed, type LookOptions } from "./decide-all.js";
import type { JobLease } from "./job-lease.js";
import type { OpenPull } from "./open-pulls.js";
import { allowed, policyOf } from "./policy.js";

export interface RunOptions {
  readonly config: Config;
  readonly repo: NamedRepo;
  /** Only these dependencies; `undefined`: all of them. */
  readonly names: ReadonlySet<string> | undefined;
  /** When a release was announced that is the reason for the run. */
  readonly announcedAt?: number | undefined;
  readonly tenure: JobLease;
  /** Its record. */
  readonly run: number;
}

interface Look extends Pick<RunOptions, "config" | "repo" | "names" | "announcedAt"> {
  /** Versions that did not go together with everything else in this run. */
  readonly refused?: readonly string[];
}

export interface RunResult {
  readonly outcomes: readonly Outcome[];
  /** Why not everything went well, in one sentence. */
  readonly reason: string | undefined;
  /** Milliseconds after which another run may do better. */
  readonly retryAfter: number | undefined;
}

export async function runConfig(service: UpdatesRuntime, options: RunOptions): Promise<RunResult> {
  const { config, repo, names } = options;
  const manager = await managerOf(config.package_manager as PackageManager);
  const say = (name: string) => service.stages.say(config.id, { name });
  const isIndexed = config.indexed_at !== null && service.host.kind === "embedded";
  if (!isIndexed) say("reading the repository");
  const place = isIndexed ? undefined : await service.index.refresh(config, repo);
  if (!isIndexed && !place) return failed(branchGone(config, repo));
  const looked = await lookAt(service, options);
  const open = await openPulls(service, config);
  const updates = updatesOf(looked);
  const retryAfter = soonest(looked.map(({ decision }) => decision));
  if (updates.length === 0 && (names !== undefined || open.length === 0)) {
    const outcomes = looked.map(outcomeOf);
    return { outcomes, reason: config.trouble ?? reasonOf(looked), retryAfter };
  }
  // The index may be behind what was pushed around us: the branch itself is what counts.
  if (!place) say("reading the branch");
  const fresh = place ?? (await service.index.refresh(config, repo));
  if (!fresh) return failed(branchGone(config, repo));
  const sure = fresh.commit === config.indexed_at ? looked : await lookAt(service, options);
  const carried = await applyProposals(service, {
    ...options,
    manager,
    place: fresh,
    looked: sure,
    updates: updatesOf(sure),
    open,
    lower: async (only, refused) =>
      updatesOf(await lookAt(service, { ...options, names: new Set(only), refused })),
  });
  const others = sure.filter(({ decision }) => decision.kind !== "update").map(outcomeOf);
  return {
    outcomes: [...carried, ...others],
    reason: fresh.trouble ?? reasonOf(sure) ?? carried.find(({ kind }) => kind === "failed")?.why,
    retryAfter,
  };
}

const updatesOf = (looked: readonly DependencyDecision[]): readonly Update[] =>
  looked.flatMap(({ decision }) => (decision.kind === "update" ? [decision] : []));

/** What a run would say now; nothing is changed. */
export async function preview(
  service: UpdatesRuntime,
  config: Config,
  repo: NamedRepo,
  names: readonly string[] | undefined,
): Promise<readonly Outcome[]> {
  const wanted = names && new Set(names);
  const looked = await lookAt(service, { config, repo, names: wanted });
  const open = await openPulls(service, config);
  return looked.map((each) => {
    const outcome = outcomeOf(each);
    const match = open.find(({ dependencies }) =>
      dependencies.some(
        ({ name, to_version }) => name === outcome.name && to_version === outcome.to,
      ),
    );
    return match ? { ...outcome, kind: "pull_request", pull: match.pull.number } : outcome;
  });
}

async function lookAt(
  service: UpdatesRuntime,
  { config, repo, names, announcedAt, refused = [] }: Look,
): Promise<readonly DependencyDecision[]> {
  const { engine, store } = service;
  const isNew = announcedAt !== undefined && store.isShared;
  const lookup = isNew ? engine.lookupAfter(announcedAt) : engine.lookup;
  const manager = await managerOf(config.package_manager as PackageManager);
  const current = (await service.store.configs.byId(config.id)) ?? config;
  const extras = extrasOf(current);
  const [all, ignores] = await Promise.all([
    service.store.configs.dependencies(config.id),
    service.store.configs.ignores(config.id),
  ]);
  const those = named(all, names);
  const of = (what: "all" | "security"): readonly Dependency[] =>
    those.filter((each) => allowed(each, extras) === what);
  const [wanted, holes] = [of("all"), of("security")];
  const options: LookOptions = {
    manager,
    lookup,
    project: JSON.parse(current.project ?? '{"runtime":{}}') as Project,
    policy: {
      ...policyOf(current, extras, accountSettings(service.settings, repo.login), ignores),
      refused,
    },
    advisories: service.advisories.of(config.package_manager as PackageManager),
    now: service.context.clock.now(),
    tell: (done) =>
      service.stages.say(config.id, { name: "looking up versions", done, of: wanted.length }),
  };
  const looked = await decideAll(wanted, options);
  if (holes.length === 0) return looked;
  const policy = { ...options.policy, securityOnly: true };
  return [...looked, ...(await decideAll(holes, { ...options, policy }))];
}

/** Those of these names, and what moves together with them. */
function named(
  all: readonly Dependency[],
  names: ReadonlySet<string> | undefined,
): readonly Dependency[] {
  if (names === undefined) return all;
  const own = all.filter(({ name }) => names.has(name));
  const words = new Set(own.map(({ together }) => together).filter((word) => word !== undefined));
  if (words.size === 0) return own;
  return all.filter(
    ({ name, together }) => names.has(name) || (together !== undefined && words.has(together)),
  );
}

async function openPulls(service: UpdatesRuntime, config: Config): Promise<readonly OpenPull[]> {
  const pulls = await service.store.pulls.list({ configId: config.id, state: "open" });
  const dependencies = await service.store.pulls.dependencies(pulls.map(({ id }) => id));
  return pulls.map((pull) => ({ pull, dependencies: dependencies.get(pull.id) ?? [] }));
}

function outcomeOf({ dependency, decision }: DependencyDecision): Outcome {
  const { name } = dependency;
  if (decision.kind === "update") {
    return {
      name,
      kind: "waiting",
      reason: "update",
      why: `${name} ${decision.to} is offered.`,
      ...(decision.from === undefined ? {} : { from: decision.from }),
      to: decision.to,
    };
  }
  const { kind, reason, why } = decision;
  const from = dependency.current;
  return { name, kind, reason, why, ...(from === undefined ? {} : { from }) };
}

const reasonOf = (looked: readonly DependencyDecision[]): string | undefined =>
  looked.map(({ decision }) => decision).find((each): each is Failed => each.kind === "failed")
    ?.why;

function soonest(decisions: readonly (Failed | { readonly kind: string })[]): number | undefined {
  const waits = decisions.flatMap((each) =>
    each.kind === "failed" && (each as Failed).retryAfter !== undefined
      ? [(each as Failed).retryAfter ?? 0]
      : [],
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

const failed = (reason: string): RunResult => ({ outcomes: [], reason, retryAfter: undefined });

const branchGone = (config: Config, repo: NamedRepo): string =>
  `${repo.login}/${repo.name} has no branch ${config.target_branch || repo.default_branch}.`;
