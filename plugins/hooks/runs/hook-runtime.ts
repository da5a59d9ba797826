/** A running block: admits its invocations, runs them, and counts them. All of it outlives edits of the block. */
import type { LeftRun } from "reeve/plugin";
import type { CommandBlock, HookBlock } from "../blocks/blocks.js";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import { Admission } from "./admission.js";
import type { Slot } from "./concurrency-queue.js";
import { endLeft } from "./end-run.js";
import type { LossCheck, RunTools } from "./execute-run.js";
import type { Finished } from "./finished.js";
import type { HookTools } from "./hook-tools.js";
import {
  hasEnded,
  type Invocation,
  isInterrupted,
  resumedInvocation,
  resumedState,
  startedAttempts,
} from "./invocation.js";
import { notRecorded } from "./not-accepted.js";
import type { ResumeState } from "./resume-state.js";
import { survivesInterruption } from "./retry.js";
import { RunMeter } from "./run-meter.js";
import { RunTracker } from "./run-tracker.js";
import { startThrottle } from "./start-throttle.js";
import { completeRun, type SubmittedRun, submitRun } from "./submit-run.js";

export class HookRuntime<Block extends CommandBlock = HookBlock> {
  readonly admission: Admission;
  readonly meter: RunMeter;
  readonly runs = new RunTracker();
  readonly #tools: HookTools;
  readonly #runTools: RunTools;
  #block: Block;

  /** `lossOf` is called before each run. */
  constructor(block: Block, tools: HookTools, lossOf?: LossCheck) {
    const { context, chain } = tools;
    this.#block = block;
    this.#tools = tools;
    this.meter = new RunMeter(block, tools);
    this.admission = new Admission(block, context, () => this.meter.statistics.percentile(0.5));
    this.#runTools = { services: context, chain, drain: this.runs.drain, lossOf };
  }

  get block(): Block {
    return this.#block;
  }

  /** Takes the block of the new generation, whose values are the same: only its lines may be others. */
  moved(block: Block): void {
    this.#block = block;
    this.admission.limits = block.values;
  }

  /** The block of the new generation decides requests from now on; an earlier start error may be fixed. */
  reconfigure(block: Block): void {
    this.moved(block);
    this.meter.statistics.cannotStart = undefined;
  }

  /** Logs a warning about one of its runs. */
  warn(message: string, fields: Readonly<Record<string, string>>): void {
    this.#tools.context.log.warn(message, { hook: this.#block.label ?? "", ...fields });
  }

  /** Counts and reports a refused request. */
  refused(refusal: Refusal, from: string, request?: Incoming): void {
    startThrottle.noteRequest();
    this.meter.refused(refusal, from, request);
  }

  /** Records a run and executes it at its turn. Resolves when it is recorded; never rejects. */
  async trigger(invocation: Invocation): Promise<SubmittedRun | Refusal> {
    startThrottle.noteRequest();
    const outcome = this.admission.admit(invocation);
    const permit = outcome instanceof Promise ? await outcome : outcome;
    if ("reason" in permit) return permit;
    const { slot } = permit;
    const cancel = this.runs.cancellation(slot);
    this.#load();
    try {
      const run = await submitRun({ invocation, slot, cancel }, this.#runTools);
      this.runs.add(run.id, cancel);
      this.meter.accepted(run.id, invocation.trigger);
      const finished = this.#end(run, invocation.trigger);
      await permit.accepted?.(run.id);
      return { id: run.id, finished };
    } catch (thrown) {
      this.runs.drop(cancel);
      permit.refused();
      this.#load();
      return notRecorded(thrown);
    }
  }

  /**
   * Queues a run of a previous daemon again and executes it at its turn. Calls determine the
   * order.
   */
  resume(left: LeftRun): void {
    const slot = this.admission.readmit((left.resume as ResumeState).key);
    this.#load();
    const done = this.#resume(left, slot)
      .catch((thrown: unknown) =>
        this.#tools.context.log.error("Cannot resume a run of a previous daemon", {
          run: left.record.id,
          reason: String(thrown),
        }),
      )
      .finally(() => {
        slot.leave();
        this.#load();
      });
    void this.runs.track(done);
  }

  async #resume(left: LeftRun, slot: Slot): Promise<void> {
    const { record } = left;
    const { context, chain } = this.#tools;
    const isOver =
      hasEnded(left) ||
      (isInterrupted(left) && !survivesInterruption(this.#block, startedAttempts(left)));
    const run = await context.runs.resume(record.id, resumedState(left, isOver));
    if (!run) return;
    this.meter.resumed(run.id);
    if (isOver) return endLeft(run, left, this.#block, chain);
    const invocation = resumedInvocation(this.#block, left);
    if (typeof invocation === "string") {
      await run.finish({ state: "failed", reason: invocation });
      return;
    }
    const cancel = this.runs.cancellation(slot);
    const admitted = { invocation, slot, cancel, isQueued: true, isResumable: true };
    this.runs.add(run.id, cancel);
    const finished = completeRun(run, admitted, this.#runTools);
    await this.#end({ id: run.id, finished }, record.trigger);
  }

  /** Resolves when nothing runs or waits, and every end is recorded. */
  async drained(): Promise<void> {
    await this.admission.empty();
    await this.runs.finished();
  }

  /** Kills every command and gives up what waits. */
  cutOff(): void {
    this.admission.clear();
    this.runs.cutOff();
  }

  async #end({ id, finished }: SubmittedRun, trigger: string | undefined): Promise<Finished> {
    const end = await finished;
    this.runs.delete(id);
    this.#load();
    this.meter.ended(id, trigger, end);
    return end;
  }

  #load(): void {
    this.meter.load(this.admission);
  }
}
