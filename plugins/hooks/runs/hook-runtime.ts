/** A running hook: its current block, its queue and its statistics. Queue and statistics outlive edits of the block. */
import type { Fields, LeftRun } from "reeve/plugin";
import type { CommandBlock, HookBlock } from "../blocks/blocks.js";
import type { HookCommand } from "../decide/command.js";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import { Refusals } from "../evidence/refusals.js";
import type { RunEvidence } from "../evidence/run-evidence.js";
import type { HookStatistics } from "../telemetry/statistics.js";
import { Cancellation } from "./cancellation.js";
import { ConcurrencyQueue, type Slot } from "./concurrency-queue.js";
import { Deliveries } from "./deliveries.js";
import { DrainSignal } from "./drain-signal.js";
import { endInterrupted } from "./end-interrupted.js";
import type { LossCheck } from "./execute-run.js";
import type { Finished } from "./finished.js";
import type { HookTools } from "./hook-tools.js";
import { notRecorded, queueFull, repeated } from "./not-accepted.js";
import { RateLimit } from "./rate-limit.js";
import { type ResumeState, restoreResume } from "./resume-state.js";
import { survivesInterruption } from "./retry.js";
import { startThrottle } from "./start-throttle.js";
import { completeRun, type SubmittedRun, submitRun } from "./submit-run.js";

export type { HookTools };

/** Milliseconds that a request waits for room in the queue with `overflow = "wait"`. */
const PATIENCE = 30_000;

export class HookRuntime<Block extends CommandBlock = HookBlock> {
  readonly queue: ConcurrencyQueue;
  readonly statistics: HookStatistics;
  readonly refusals: Refusals;
  readonly rateLimit = new RateLimit();
  /** By run. */
  readonly #cancels = new Map<string, Cancellation>();
  readonly #tools: HookTools;
  readonly #lossOf: LossCheck | undefined;
  readonly #deliveries: Deliveries;
  /** Accepted runs whose end is not recorded yet. */
  readonly #open = new Set<Promise<Finished>>();
  readonly #resumed = new Set<Promise<void>>();
  readonly #drain = new DrainSignal();
  #block: Block;

  /** `lossOf` is asked before each run. */
  constructor(block: Block, tools: HookTools, lossOf?: LossCheck) {
    this.#block = block;
    this.#tools = tools;
    this.statistics = tools.statistics.of(block.key);
    this.#lossOf = lossOf;
    this.queue = new ConcurrencyQueue(block.values);
    this.#deliveries = new Deliveries(tools.context);
    this.refusals = new Refusals(tools);
    tools.signal.addEventListener("abort", this.#cutOff, { once: true });
  }

  get block(): Block {
    return this.#block;
  }

  /** The block of the new generation decides requests from now on; an earlier start error may be fixed. */
  reconfigure(block: Block): void {
    this.#block = block;
    this.queue.limits = block.values;
    this.statistics.cannotStart = undefined;
  }

  /** Logs a warning about one of its runs. */
  warn(message: string, fields: Readonly<Record<string, string>>): void {
    this.#tools.context.log.warn(message, { hook: this.#name, ...fields });
  }

  /** Removes its gauges. */
  dispose(): void {
    this.#tools.signal.removeEventListener("abort", this.#cutOff);
    const { running, waiting } = this.#tools.metrics;
    for (const gauge of [running, waiting]) gauge.remove({ hook: this.#metricName });
  }

  /** Submits a run of an accepted request. `block`: as it decided the request. `from`: `POST /hooks/deploy from 192.0.2.7`. */
  async trigger(
    block: CommandBlock,
    command: HookCommand,
    from: string,
    account?: RunEvidence,
    listen?: (data: Uint8Array) => void,
  ): Promise<SubmittedRun | Refusal> {
    startThrottle.noteRequest();
    const { dedupe } = block.values;
    if (!dedupe || command.delivery === undefined) {
      return this.#admit(block, command, from, account, listen);
    }
    const within = dedupe.values.within;
    try {
      const claim = await this.#deliveries.claim(block.key, command.delivery, within);
      if ("repeated" in claim) return repeated(claim.repeated);
      const outcome = await this.#admit(block, command, from, account, listen);
      if ("reason" in outcome) claim.release();
      else await claim.keep(outcome.id);
      return outcome;
    } catch (thrown) {
      return notRecorded(thrown);
    }
  }

  async #admit(
    block: CommandBlock,
    command: HookCommand,
    from: string,
    account?: RunEvidence,
    listen?: (data: Uint8Array) => void,
  ): Promise<SubmittedRun | Refusal> {
    const slot =
      block.values.overflow === "wait"
        ? await this.queue.acquireWithin(command.key, () => AbortSignal.timeout(PATIENCE))
        : this.queue.acquire(command.key);
    if (!slot) {
      const pace = this.statistics.percentile(0.5) ?? 1000;
      return queueFull((pace * (this.queue.waiting + 1)) / block.values.concurrency);
    }
    const { context } = this.#tools;
    const cancel = this.#cancellation(slot);
    this.#gauge();
    try {
      const order = {
        ...{ hook: block, command, slot, trigger: from, account, listen, cancel },
        drain: this.#drain,
        lossOf: this.#lossOf,
        chain: this.#tools.chain,
      };
      const started = await submitRun(order, context);
      this.#cancels.set(started.id, cancel);
      this.#accepted(started, from);
      return { id: started.id, finished: this.#follow(started, from) };
    } catch (thrown) {
      this.#gauge();
      return notRecorded(thrown);
    }
  }

  /**
   * Queues a run of a previous daemon again and executes it at its turn. Calls determine the
   * order.
   */
  resumeRun(left: LeftRun): void {
    const { key } = left.resume as ResumeState;
    const slot = this.queue.reacquire(key);
    this.#gauge();
    const done = this.#resumeRun(left, slot)
      .catch((thrown: unknown) =>
        this.#tools.context.log.error("Cannot resume a run of a previous daemon", {
          run: left.record.id,
          reason: String(thrown),
        }),
      )
      .finally(() => {
        slot.leave();
        this.#gauge();
        this.#resumed.delete(done);
      });
    this.#resumed.add(done);
  }

  async #resumeRun({ record, resume }: LeftRun, slot: Slot): Promise<void> {
    const state = resume as ResumeState;
    const { context } = this.#tools;
    const run = await context.runs.resume(record.id);
    if (!run) return;
    this.#emit("resumed", { run: run.id });
    const interrupted = record.state === "interrupted" ? 1 : 0;
    if (interrupted === 1 && !survivesInterruption(this.#block, state.tried + 1)) {
      return endInterrupted(run, record, this.#block, this.#tools.chain);
    }
    const command = restoreResume(this.#block, state);
    if (typeof command === "string") {
      await run.finish({ state: "failed", reason: command });
      return;
    }
    const cancel = this.#cancellation(slot);
    const order = {
      ...{ hook: this.#block, command, slot, queued: true, cancel, drain: this.#drain },
      state: { ...state, tried: state.tried + interrupted },
      trigger: record.trigger ?? "",
      detail: (record.detail ?? {}) as Readonly<Record<string, unknown>>,
      lossOf: this.#lossOf,
      chain: this.#tools.chain,
      isResumed: true,
    };
    this.#cancels.set(run.id, cancel);
    const finished = completeRun(run, order, context);
    await this.#follow({ id: run.id, finished }, record.trigger);
  }

  /** Leaves waiting runs to the next daemon. */
  leave(): void {
    this.#drain.begin();
  }

  /** Cancels a running or queued run; `reason` is one sentence. Returns whether there was one. */
  cancel(run: string, reason: string): boolean {
    const cancel = this.#cancels.get(run);
    cancel?.abort(reason);
    return cancel !== undefined;
  }

  /** Cancels whatever runs or waits. */
  cancelAll(reason: string): void {
    for (const cancel of this.#cancels.values()) cancel.abort(reason);
  }

  readonly #cutOff = (): void => {
    for (const cancel of this.#cancels.values()) cancel.abort();
  };

  #cancellation(slot: Slot): Cancellation {
    const cancel = new Cancellation(slot);
    if (this.#tools.signal.aborted) cancel.abort();
    return cancel;
  }

  /** Resolves when nothing runs or waits, and every end is recorded. */
  async drained(): Promise<void> {
    await this.queue.empty();
    await Promise.all([...this.#open, ...this.#resumed]);
  }

  /** Counts and reports a refused request. */
  refused(refusal: Refusal, from: string, request?: Incoming): void {
    startThrottle.noteRequest();
    this.statistics.count("rejected", this.#tools.context.clock.now());
    this.refusals.add(this.#name, refusal, from, request);
  }

  /** Names of hooks as they are; a schedule may have the name of a hook. */
  get #metricName(): string {
    const { kind, key } = this.#block;
    return kind === "hook" ? this.#name : key;
  }

  #emit(what: string, fields: Fields): void {
    const { kind } = this.#block;
    this.#tools.context.events.emit(`${kind}.${what}`, { [kind]: this.#name, ...fields });
  }

  get #name(): string {
    return this.#block.label ?? "";
  }

  #follow(started: SubmittedRun, trigger: string | undefined): Promise<Finished> {
    const finished = started.finished.then((end) => this.#ended(started.id, trigger, end));
    this.#open.add(finished);
    return finished.finally(() => this.#open.delete(finished));
  }

  #accepted({ id }: SubmittedRun, trigger: string): void {
    this.statistics.count("calls", this.#tools.context.clock.now());
    this.#tools.metrics.requests.add(1, { hook: this.#metricName, outcome: "accepted" });
    this.#emit("triggered", { run: id, trigger });
  }

  #ended(id: string, trigger: string | undefined, finished: Finished): Finished {
    this.#cancels.delete(id);
    const { context, metrics } = this.#tools;
    const { state, duration, exitCode, reason, started, lost } = finished;
    this.#gauge();
    if (finished.left) return finished;
    if (started) {
      this.statistics.took(duration);
      metrics.seconds.observe(duration / 1000, { hook: this.#metricName });
    }
    if (lost === undefined) this.statistics.cannotStart = started ? undefined : reason;
    if (state === "failed" || state === "timed_out") this.#failed(id, state, reason);
    this.statistics.ended({ at: context.clock.now(), state });
    metrics.runs.add(1, { hook: this.#metricName, state });
    this.#emit("finished", {
      ...{ run: id, state, duration: Math.round(duration) },
      ...(trigger === undefined ? {} : { trigger }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(reason === undefined ? {} : { reason }),
    });
    return finished;
  }

  #failed(run: string, state: string, reason: string | undefined): void {
    const { context } = this.#tools;
    this.statistics.count("failures", context.clock.now());
    if (state === "timed_out") this.statistics.count("timeouts", context.clock.now());
    const { kind } = this.#block;
    const fields = { [kind]: this.#name, run, state, reason };
    context.log.warn(`A ${kind}'s command failed`, fields);
  }

  #gauge(): void {
    const { running, waiting } = this.#tools.metrics;
    running.set(this.queue.running, { hook: this.#metricName });
    waiting.set(this.queue.waiting, { hook: this.#metricName });
  }
}
