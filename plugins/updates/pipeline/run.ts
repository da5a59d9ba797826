/** One run of one config: look, decide, edit, open. */
import { accountSettings } from "../blocks/settings.js";
import type { Update } from "../decide/contract.js";
import type { Dependency } from "../managers/contract.js";
import { managerOf, type PackageManager } from "../managers/index.js";
import type { UpdatesRuntime } from "../runtime.js";
import { extrasOf, type ProjectFacts } from "../store/configs.js";
import type { NamedRepo } from "../store/repos.js";
import type { DependencyOutcome } from "../store/runs.js";
import type { Config } from "../store/tables.js";
import { applyProposals } from "./edit/apply-proposals.js";
import {
  type DecideOptions,
  type DependencyDecision,
  decideAll,
  type FailedDecision,
} from "./plan/decide-all.js";
import type { OpenPull } from "./plan/open-pulls.js";
import { allowed, policyOf } from "./plan/policy.js";
import type { JobLease } from "./publish/job-lease.js";

export interface ConfigRunOptions {
  readonly config: Config;
  readonly repo: NamedRepo;
  /** Only these dependencies; `undefined`: all of them. */
  readonly names: ReadonlySet<string> | undefined;
  /** When a release was announced that is the reason for the run. */
  readonly announcedAt?: number | undefined;
  readonly lease: JobLease;
  /** Its record. */
  readonly run: number;
}

interface DecisionScope
  extends Pick<ConfigRunOptions, "config" | "repo" | "names" | "announcedAt"> {
  /** Versions that did not go together with everything else in this run. */
  readonly refused?: readonly string[];
}

export interface ConfigRunResult {
  readonly outcomes: readonly DependencyOutcome[];
  /** Why not everything went well, in one sentence. */
  readonly reason: string | undefined;
  /** Milliseconds after which another run may do better. */
  readonly retryAfter: number | undefined;
}

export async function runConfig(
  service: UpdatesRuntime,
  options: ConfigRunOptions,
): Promise<ConfigRunResult> {
  const { config, repo, names } = options;
  const manager = await managerOf(config.package_manager as PackageManager);
  const say = (name: string) => service.stages.say(config.id, { name });
  const isIndexed = config.indexed_at !== null && service.host.kind === "embedded";
  if (!isIndexed) say("reading the repository");
  const place = isIndexed ? undefined : await service.index.refresh(config, repo);
  if (!isIndexed && !place) return failed(branchGone(config, repo));
  const decisions = await decideConfig(service, options);
  const open = await openPulls(service, config);
  const updates = updatesOf(decisions);
  const retryAfter = soonest(decisions.map(({ decision }) => decision));
  if (updates.length === 0 && (names !== undefined || open.length === 0)) {
    const outcomes = decisions.map(outcomeOf);
    return { outcomes, reason: config.trouble ?? reasonOf(decisions), retryAfter };
  }
  // The index may be behind what was pushed around us: the branch itself is what counts.
  if (!place) say("reading the branch");
  const fresh = place ?? (await service.index.refresh(config, repo));
  if (!fresh) return failed(branchGone(config, repo));
  const sure =
    fresh.commit === config.indexed_at ? decisions : await decideConfig(service, options);
  const carried = await applyProposals(service, {
    ...options,
    manager,
    place: fresh,
    decisions: sure,
    updates: updatesOf(sure),
    open,
    lower: async (only, refused) =>
      updatesOf(await decideConfig(service, { ...options, names: new Set(only), refused })),
  });
  const others = sure.filter(({ decision }) => decision.kind !== "update").map(outcomeOf);
  return {
    outcomes: [...carried, ...others],
    reason: fresh.readError ?? reasonOf(sure) ?? carried.find(({ kind }) => kind === "failed")?.why,
    retryAfter,
  };
}

const updatesOf = (decisions: readonly DependencyDecision[]): readonly Update[] =>
  decisions.flatMap(({ decision }) => (decision.kind === "update" ? [decision] : []));

/** What a run would say now; nothing is changed. */
export async function preview(
  service: UpdatesRuntime,
  config: Config,
  repo: NamedRepo,
  names: readonly string[] | undefined,
): Promise<readonly DependencyOutcome[]> {
  const wanted = names && new Set(names);
  const decisions = await decideConfig(service, { config, repo, names: wanted });
  const open = await openPulls(service, config);
  return decisions.map((each) => {
    const outcome = outcomeOf(each);
    const match = open.find(({ dependencies }) =>
      dependencies.some(
        ({ name, to_version }) => name === outcome.name && to_version === outcome.to,
      ),
    );
    return match ? { ...outcome, kind: "pull_request", pull: match.pull.number } : outcome;
  });
}

async function decideConfig(
  service: UpdatesRuntime,
  { config, repo, names, announcedAt, refused = [] }: DecisionScope,
): Promise<readonly DependencyDecision[]> {
  const { managers: engine, store } = service;
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
  const [wanted, securityOnly] = [of("all"), of("security")];
  const options: DecideOptions = {
    manager,
    lookup,
    project: JSON.parse(current.project ?? '{"runtime":{}}') as ProjectFacts,
    policy: {
      ...policyOf(current, extras, accountSettings(service.settings, repo.login), ignores),
      refused,
    },
    advisories: service.advisories.of(config.package_manager as PackageManager),
    now: service.context.clock.now(),
    onProgress: (done) =>
      service.stages.say(config.id, { name: "looking up versions", done, of: wanted.length }),
  };
  const decisions = await decideAll(wanted, options);
  if (securityOnly.length === 0) return decisions;
  const policy = { ...options.policy, securityOnly: true };
  return [...decisions, ...(await decideAll(securityOnly, { ...options, policy }))];
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

function outcomeOf({ dependency, decision }: DependencyDecision): DependencyOutcome {
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

const reasonOf = (decisions: readonly DependencyDecision[]): string | undefined =>
  decisions
    .map(({ decision }) => decision)
    .find((each): each is FailedDecision => each.kind === "failed")?.why;

function soonest(
  decisions: readonly (FailedDecision | { readonly kind: string })[],
): number | undefined {
  const waits = decisions.flatMap((each) =>
    each.kind === "failed" && (each as FailedDecision).retryAfter !== undefined
      ? [(each as FailedDecision).retryAfter ?? 0]
      : [],
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

const failed = (reason: string): ConfigRunResult => ({
  outcomes: [],
  reason,
  retryAfter: undefined,
});

const branchGone = (config: Config, repo: NamedRepo): string =>
  `${repo.login}/${repo.name} has no branch ${config.target_branch || repo.default_branch}.`;
