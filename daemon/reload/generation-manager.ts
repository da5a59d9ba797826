/**
 * Applies generations. All effects of a configuration change are here: plugins' preparations are committed together
 * or not at all, and rolled back if unhealthy while rollback is possible. Calls take turns; nothing here runs
 * concurrently.
 */
import { planInSlices } from "../config/plan.js";
import { type Program } from "../config/program.js";
import { errorMessage } from "../errors.js";
import { type PluginHost, type PreparedGeneration } from "../host/contract.js";
import { type Log } from "../plugin-api/context.js";
import { type DaemonServices } from "../services/contract.js";
import {
  type ActiveGeneration,
  type Candidate,
  countErrors,
  finishedAttempt,
  type GenerationAttempt,
  isEmptyPlan,
  withCommit,
} from "./candidate.js";
import { type Generation, type ReloadOutcome } from "./contract.js";
import { DriftStatus } from "./drift-status.js";
import { type GenerationHistory } from "./generation-history.js";
import { type Preparations } from "./preparations.js";
import { failing, probation, touchedBy } from "./probation.js";
import { type GenerationReporter } from "./report.js";
import { type SnapshotArchive } from "./snapshot-archive.js";

export interface GenerationManagerOptions {
  /** The commit of what is on disk. */
  readonly git: () => Promise<Generation["git"]>;
  readonly kit: DaemonServices;
  readonly log: Log;
  readonly host: PluginHost;
  readonly ledger: GenerationHistory;
  readonly archive: SnapshotArchive;
  readonly report: GenerationReporter;
  readonly preparations: Preparations;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
  /** Runs a task when its turn comes. */
  readonly inTurn: (task: () => Promise<void>) => void;
  /** Applies the settings of the `daemon` block. */
  readonly adopt: (program: Program) => void;
}

export class GenerationManager {
  readonly #parts: GenerationManagerOptions;
  readonly #drift: DriftStatus;
  #running: ActiveGeneration | undefined;

  constructor(parts: GenerationManagerOptions) {
    this.#parts = parts;
    this.#drift = new DriftStatus((since) => parts.report.stale(since));
  }

  get current(): Generation | undefined {
    return this.#running?.generation;
  }
  get program(): Program | undefined {
    return this.#running?.program;
  }
  get code(): ActiveGeneration["code"] | undefined {
    return this.#running?.code;
  }
  get drift(): Pick<DriftStatus, "degraded" | "staleSince"> {
    return this.#drift;
  }

  /** From the plan to the commit, or to the refusal. */
  async apply(candidate: Candidate): Promise<ReloadOutcome> {
    const { loaded, trigger, began, instead, hash } = candidate;
    const { program, diagnostics } = loaded;
    const attempt: Omit<GenerationAttempt, "number"> = {
      trigger,
      sourceHash: program?.sourceHash ?? hash,
      git: instead === undefined ? this.#parts.git() : Promise.resolve(undefined),
      at: began.at,
      began,
      diagnostics,
    };
    if (!program) {
      return this.#reject(candidate, { ...attempt, reason: countErrors(diagnostics) });
    }
    const changes = await planInSlices(this.#running?.program, program);
    if (this.#running && isEmptyPlan(changes, this.#running, program, candidate.code)) {
      return this.#keep(this.#running, candidate, program, attempt);
    }
    const number = this.#parts.ledger.next();
    const details = { ...attempt, number, plan: changes, summary: changes.summary };
    // Plugins that were unhealthy before do not count against this change.
    const unhealthy = this.#running ? await failing(this.#parts.host) : new Map<string, string>();
    const outcome = await this.#parts.preparations.prepare(program, changes, number);
    const all = { ...details, diagnostics: [...diagnostics, ...outcome.diagnostics] };
    if (!outcome.ok) return this.#reject(candidate, { ...all, reason: outcome.reason });
    const watched = new Set([...touchedBy(changes, program)].filter((id) => !unhealthy.has(id)));
    return this.#commit(candidate, program, outcome.prepared, all, watched);
  }

  /** Ends all waits; the host stops plugins. */
  stop(): void {
    this.#running?.probation.abort();
  }

  async #commit(
    candidate: Candidate,
    program: Program,
    prepared: PreparedGeneration,
    attempt: GenerationAttempt,
    watched: ReadonlySet<string>,
  ): Promise<ReloadOutcome> {
    const { ledger, archive, report, adopt } = this.#parts;
    const previous = this.#running;
    prepared.commit();
    const onProbation = watched.size > 0 && program.daemon.probation > 0;
    const state = onProbation && previous ? "probation" : "committed";
    const generation = finishedAttempt(attempt, state);
    const { snapshot, code } = candidate;
    const running: ActiveGeneration = {
      generation,
      program,
      code,
      snapshot,
      prepared,
      isReleased: false,
      previous,
      probation: new AbortController(),
    };
    this.#running = running;
    adopt(program);
    this.#compare(candidate);
    if (previous) {
      this.#dropPrevious(previous);
      await ledger.write({ ...previous.generation, state: "superseded" });
    } else this.#releaseGeneration(running);
    running.generation = await withCommit(generation, attempt.git);
    await ledger.write(running.generation);
    await archive.keep({ generation: generation.number, snapshot });
    if (!(await archive.lastGood())) await this.#markGood(running);
    report.committed(running.generation, candidate.instead);
    if (onProbation) this.#watchOver(running, watched);
    else await this.#confirm(running);
    return { generation: running.generation, sources: candidate.loaded.sources };
  }

  /** The running program is already equal. Its text may have moved, so locations are updated. */
  async #keep(
    running: ActiveGeneration,
    candidate: Candidate,
    program: Program,
    attempt: Omit<GenerationAttempt, "number">,
  ): Promise<ReloadOutcome> {
    const { ledger, archive, report } = this.#parts;
    const { number } = running.generation;
    const kept = finishedAttempt({ ...attempt, number }, "unchanged");
    const outcome = await withCommit(kept, attempt.git);
    const { sourceHash, git, duration } = outcome;
    const isNewText = running.generation.sourceHash !== sourceHash;
    running.program = program;
    running.snapshot = candidate.snapshot;
    const { diagnostics } = attempt;
    running.generation = { ...running.generation, sourceHash, diagnostics, ...(git && { git }) };
    this.#compare(candidate);
    if (isNewText) {
      await ledger.write(running.generation);
      await archive.keep({ generation: number, snapshot: running.snapshot });
      if (running.generation.state === "committed") await this.#markGood(running);
    }
    report.unchanged(running.generation, duration);
    const { plan: _plan, ...same } = running.generation;
    return { generation: { ...same, ...outcome }, sources: candidate.loaded.sources };
  }

  async #reject(
    { loaded, snapshot, instead }: Candidate,
    attempt: Omit<GenerationAttempt, "number"> & {
      readonly reason: string;
      readonly number?: number;
    },
  ): Promise<ReloadOutcome> {
    const { ledger, archive, report } = this.#parts;
    const number = attempt.number ?? ledger.next();
    const refused = finishedAttempt({ ...attempt, number }, "rejected");
    const generation = await withCommit(refused, attempt.git);
    if (this.#running && instead === undefined) {
      const reason = `The configuration on disk was refused: ${attempt.reason}; generation ${this.#running.generation.number} runs on.`;
      this.#drift.differs(reason, attempt.at);
    }
    await ledger.write(generation);
    await archive.keep({ generation: generation.number, snapshot });
    report.rejected(generation, this.#running?.generation, loaded.sources);
    return { generation, sources: loaded.sources };
  }

  #now(): number {
    return this.#parts.kit.clock.now();
  }

  #compare({ instead, began }: Candidate): void {
    if (instead === undefined) this.#drift.agrees();
    else this.#drift.differs(instead, began.at);
  }

  #watchOver(running: ActiveGeneration, watched: ReadonlySet<string>): void {
    const { host, kit, signal, inTurn, log } = this.#parts;
    const over = AbortSignal.any([running.probation.signal, signal]);
    const { probation: duration } = running.program.daemon;
    const end = (reason: string | undefined) =>
      inTurn(async () => {
        // Another generation may have committed meanwhile.
        if (over.aborted) return;
        if (reason === undefined) await this.#confirm(running);
        else await this.#rollBack(running, reason);
      });
    probation({ host, clock: kit.clock, watched, duration, signal: over }).then(end, (thrown) => {
      if (over.aborted) return;
      log.error("Cannot read the health of the plugins", { reason: errorMessage(thrown) });
      end(undefined);
    });
  }

  /** Probation is over: rollback is no longer possible. */
  async #confirm(running: ActiveGeneration): Promise<void> {
    this.#dropPrevious(running);
    running.generation = { ...running.generation, state: "committed" };
    await this.#parts.ledger.write(running.generation);
    await this.#markGood(running);
    this.#parts.report.confirmed(running.generation);
  }

  /** Prepares and commits the previous generation again. */
  async #rollBack(running: ActiveGeneration, reason: string): Promise<void> {
    const { ledger, report, adopt } = this.#parts;
    const { previous } = running;
    const { number } = running.generation;
    if (!previous) return this.#keepUnhealthy(running, reason);
    const changes = await planInSlices(running.program, previous.program);
    const outcome = await this.#parts.preparations.prepare(
      previous.program,
      changes,
      previous.generation.number,
    );
    if (!outcome.ok) {
      const why = `${reason}, and generation ${previous.generation.number} cannot come back: ${outcome.reason}`;
      return this.#keepUnhealthy(running, why);
    }
    running.probation.abort();
    outcome.prepared.commit();
    const restored: ActiveGeneration = {
      ...previous,
      generation: { ...previous.generation, state: "committed" },
      prepared: outcome.prepared,
      isReleased: false,
      previous: undefined,
      probation: new AbortController(),
    };
    this.#running = restored;
    adopt(restored.program);
    const failed: Generation = { ...running.generation, state: "rolled_back", reason };
    const why = `Generation ${number}, which is on disk, was taken back: ${reason}.`;
    this.#drift.differs(why, this.#now());
    await ledger.write(failed);
    await ledger.write(restored.generation);
    this.#releaseGeneration(running);
    this.#releaseGeneration(restored);
    report.rolledBack(failed, restored.generation);
  }

  async #keepUnhealthy(running: ActiveGeneration, reason: string): Promise<void> {
    this.#dropPrevious(running);
    running.generation = { ...running.generation, state: "committed", reason };
    await this.#parts.ledger.write(running.generation);
    this.#parts.report.stuck(running.generation, reason);
  }

  /** Ends the possibility of rollback. The release is not awaited: work in flight may take its time. */
  #dropPrevious(running: ActiveGeneration): void {
    running.probation.abort();
    running.previous = undefined;
    this.#releaseGeneration(running);
  }

  #releaseGeneration(running: ActiveGeneration): void {
    if (running.isReleased) return;
    running.isReleased = true;
    running.prepared.release().catch((thrown: unknown) => {
      const reason = errorMessage(thrown);
      this.#parts.log.error("Cannot release the previous generation", { reason });
    });
  }

  #markGood({ generation: { number }, snapshot }: ActiveGeneration): Promise<void> {
    return this.#parts.archive.markGood({ generation: number, snapshot });
  }
}
