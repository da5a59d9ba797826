/** Runs a config: decides, edits and publishes, and records the result. */
import { errorMessage } from "../errors.js";
import { managerOf, type PackageManager } from "../managers/index.js";
import type { NamedRepo } from "../store/repos.js";
import type { DependencyOutcome } from "../store/runs.js";
import type { Config } from "../store/tables.js";
import type { EditPorts } from "./edit/apply-proposals.js";
import { applyProposals } from "./edit/apply-proposals.js";
import type { JobLease } from "./job-lease.js";
import type { DecisionPorts } from "./plan/decisions.js";
import {
  type DecisionScope,
  type DependencyDecision,
  decideConfig,
  outcomeOf,
} from "./plan/decisions.js";
import { openPullsOf } from "./plan/open-pulls.js";
import type { Ports } from "./ports.js";
import { takeOver } from "./publish/recover.js";
import { closePullsOf } from "./publish/removed-configs.js";

/** Retries of a run because a registry asks to retry later. */
const mostRetries = 6;

export class ConfigRunner {
  readonly #ports: EditPorts &
    DecisionPorts &
    Pick<Ports, "enqueueRuns" | "index" | "reasons" | "repos" | "runs">;
  /** Consecutive postponed runs of each config. */
  readonly #postponed = new Map<number, number>();

  constructor(
    ports: EditPorts &
      DecisionPorts &
      Pick<Ports, "enqueueRuns" | "index" | "reasons" | "repos" | "runs">,
  ) {
    this.#ports = ports;
  }

  async run(configId: number, lease: JobLease): Promise<void> {
    const { configs, repos, reasons, runs, clock, stages } = this.#ports;
    const config = await configs.byId(configId);
    const repo = config && (await repos.byId(config.repo_id));
    // The job has the repository to itself: unfinished work in it has no other owner.
    if (repo && this.#ports.isShared) await takeOver(this.#ports, repo, lease);
    const reason = config && (await reasons.of(config.id));
    if (!config || !repo || !reason) return;
    const trigger = reason.triggers.join(", ");
    const began = clock.now();
    const run = await runs.start(config, trigger, began);
    stages.begin(config.id, run);
    try {
      const { names, announcedAt, requestedAt } = reason;
      const scope = { config, repo, names, announcedAt, requestedAt, lease, run };
      const result = await runConfig(this.#ports, scope);
      const state = result.reason === undefined ? "succeeded" : "failed";
      const why = result.reason ? { reason: result.reason } : {};
      const pause = this.#pauseAfter(config, result);
      await runs.conclude(
        run,
        { state, outcomes: result.outcomes, ...why },
        {
          ...{ last: reason.last, isWhole: names === undefined },
          ...(pause === undefined ? {} : { again: trigger }),
        },
        clock.now(),
      );
      if (pause !== undefined) await this.#ports.enqueueRuns([config], pause);
      const about = { repo: `${repo.login}/${repo.name}`, config: config.id };
      this.#ports.emit("update.run", { ...about, run, state, ...why });
    } catch (thrown) {
      await runs.fail(run, errorMessage(thrown), clock.now());
      throw thrown;
    } finally {
      // What this run opened after its config was removed has no other owner.
      if (!(await configs.byId(configId))) await closePullsOf(this.#ports, repo, configId, began);
      stages.end(config.id, run);
    }
  }

  /** Milliseconds until the retry, twice as long each time. */
  #pauseAfter({ id }: Config, { retryAfter }: ConfigRunResult): number | undefined {
    const before = this.#postponed.get(id) ?? 0;
    this.#postponed.delete(id);
    if (retryAfter === undefined || before >= mostRetries) return undefined;
    this.#postponed.set(id, before + 1);
    return Math.max(retryAfter, 1000 * 2 ** before);
  }
}

interface ConfigRunOptions extends DecisionScope {
  readonly lease: JobLease;
  /** The id of its record. */
  readonly run: number;
}

interface ConfigRunResult {
  readonly outcomes: readonly DependencyOutcome[];
  /** The first failure, in one sentence. */
  readonly reason: string | undefined;
  /** Milliseconds until a retry may succeed. */
  readonly retryAfter: number | undefined;
}

async function runConfig(
  ports: EditPorts & DecisionPorts & Pick<Ports, "index">,
  options: ConfigRunOptions,
): Promise<ConfigRunResult> {
  const { config, repo, names } = options;
  const manager = await managerOf(config.package_manager as PackageManager);
  const say = (name: string) => ports.stages.say(config.id, { name });
  const isIndexed = config.indexed_at !== null && ports.host.kind === "embedded";
  if (!isIndexed) say("reading the repository");
  const indexed = isIndexed ? undefined : await ports.index.refresh(config, repo);
  if (!isIndexed && !indexed) return noBranch(config, repo);
  const early = await decideConfig(ports, options);
  const open = await openPullsOf(ports, config);
  const retryAfter = soonest(early);
  if (updatesOf(early).length === 0 && (names !== undefined || open.length === 0)) {
    const outcomes = early.map(outcomeOf);
    return { outcomes, reason: config.trouble ?? reasonOf(early), retryAfter };
  }
  // The index may lag behind commits pushed into the folder; the branch decides.
  if (!indexed) say("reading the branch");
  const project = indexed ?? (await ports.index.refresh(config, repo));
  if (!project) return noBranch(config, repo);
  const isCurrent = project.commit === config.indexed_at;
  const decisions = isCurrent ? early : await decideConfig(ports, options);
  const applied = await applyProposals(ports, {
    ...options,
    ...{ manager, project, decisions, open, updates: updatesOf(decisions) },
    lower: async (only, refused) =>
      updatesOf(await decideConfig(ports, { ...options, names: new Set(only), refused })),
  });
  const others = decisions.filter(({ decision }) => decision.kind !== "update").map(outcomeOf);
  return {
    outcomes: [...applied, ...others],
    reason:
      project.readError ??
      reasonOf(decisions) ??
      applied.find(({ kind }) => kind === "failed")?.why,
    retryAfter,
  };
}

const updatesOf = (decisions: readonly DependencyDecision[]) =>
  decisions.flatMap(({ decision }) => (decision.kind === "update" ? [decision] : []));

const failuresOf = (decisions: readonly DependencyDecision[]) =>
  decisions.flatMap(({ decision }) => (decision.kind === "failed" ? [decision] : []));

const reasonOf = (decisions: readonly DependencyDecision[]): string | undefined =>
  failuresOf(decisions)[0]?.why;

function soonest(decisions: readonly DependencyDecision[]): number | undefined {
  const waits = failuresOf(decisions).flatMap(({ retryAfter }) => retryAfter ?? []);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

const noBranch = (config: Config, { login, name, default_branch }: NamedRepo): ConfigRunResult => ({
  outcomes: [],
  reason: `${login}/${name} has no branch ${config.target_branch || default_branch}.`,
  retryAfter: undefined,
});
