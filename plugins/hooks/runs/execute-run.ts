/** A run's turn and its tries. */
import type { PluginContext, Run } from "reeve/plugin";
import type { HookBlock } from "../blocks/blocks.js";
import type { HookCommand } from "../decide/command.js";
import type { Cancellation } from "./cancellation.js";
import type { Slot, SlotLoss } from "./concurrency-queue.js";
import type { DrainSignal } from "./drain-signal.js";
import { type Finished, failed, finishedFrom, interrupted, lost } from "./finished.js";
import { type ResumeState, serializeResume } from "./resume-state.js";
import { pauseAfter, survivesInterruption } from "./retry.js";
import { type SpawnServices, spawnCommand } from "./spawn-command.js";
import { startThrottle } from "./start-throttle.js";

export interface QueuedRun extends Signals {
  readonly hook: HookBlock;
  readonly command: HookCommand;
  readonly slot: Slot;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  /** Told what the command prints, as it comes. */
  readonly listen?: ((data: Uint8Array) => void) | undefined;
  /** What is told about it beside its record. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Whether its record says that it waits. */
  readonly queued: boolean;
  /** What lies with its record until its turn. Absent, it cannot be carried out another time. */
  readonly resume?: ResumeState | undefined;
}

export type RunServices = Pick<PluginContext, "runs" | "log" | "clock"> & SpawnServices;

interface Signals {
  /** By a person with a reason, in one sentence. */
  readonly cancel: Cancellation;
  /** When what waits is to be left to whoever comes next. */
  readonly drain: DrainSignal;
}

/** Never rejects. */
export async function executeRun(
  run: Run,
  order: QueuedRun,
  services: RunServices,
): Promise<Finished> {
  try {
    const turn = await turnOf(order);
    if (turn !== "go") return notStarted(order, turn);
    if (!order.command.awaited) await startThrottle.turn();
    const trying = new RunAttempts(run, order, services);
    if (order.queued && !(await trying.begin())) return notStarted(order, "stopping");
    return await trying.all();
  } catch (thrown) {
    return failed(`The command could not be run: ${errorMessage(thrown)}`);
  }
}

function notStarted(order: QueuedRun, loss: SlotLoss): Finished {
  if (loss === "stopping" && isLeft(order)) return interrupted;
  return order.cancel.aborted ? { ...lost(loss), ...cancelled(order.cancel) } : lost(loss);
}

/** Somebody who waits for the answer is told that it came to nothing, and whoever cancelled it wants no more of it. */
const isLeft = ({ command, resume, cancel }: QueuedRun): boolean =>
  resume !== undefined && !command.awaited && !isByPerson(cancel);

const isByPerson = ({ reason }: Cancellation): boolean => typeof reason === "string";

/** In one sentence; the daemon's own stop has none. */
const cancelled = ({ reason }: Cancellation): Pick<Finished, "byPerson"> & { reason: string } =>
  typeof reason === "string" ? { reason, byPerson: true } : { reason: "The daemon stopped." };

async function turnOf(order: QueuedRun): Promise<"go" | SlotLoss> {
  const { slot, drain } = order;
  if (!slot.waited || !isLeft(order)) return slot.turn;
  const forget = drain.onDrain(slot.cancel);
  try {
    return await slot.turn;
  } finally {
    forget();
  }
}

/** One run, from its first try to its last. */
class RunAttempts {
  readonly #run: Run;
  readonly #order: QueuedRun;
  readonly #services: RunServices;
  /** How often it has been begun. */
  #attemptCount: number;
  readonly #attempts: unknown[];

  constructor(run: Run, order: QueuedRun, services: RunServices) {
    this.#run = run;
    this.#order = order;
    this.#services = services;
    this.#attemptCount = order.resume?.tried ?? 0;
    this.#attempts = Array.isArray(order.detail.attempts) ? [...order.detail.attempts] : [];
  }

  /**
   * Puts on record that it runs, which it must not do unseen: a full disk holds it up. Whether it may run.
   */
  async begin(): Promise<boolean> {
    const { cancel, drain } = this.#order;
    const keep = survivesInterruption(this.#order.hook, this.#attemptCount + 1);
    while (!cancel.aborted && !drain.signal.aborted) {
      try {
        await this.#run.running({ keep });
        return true;
      } catch (thrown) {
        this.#services.log.warn("a run waits until it can be recorded that it runs", {
          run: this.#run.id,
          reason: errorMessage(thrown),
        });
        await this.#services.clock.sleep(RECORD_AGAIN, this.#either).catch(() => undefined);
      }
    }
    return false;
  }

  async all(): Promise<Finished> {
    for (;;) {
      const startedAt = this.#services.clock.now();
      const finished = await this.#once();
      this.#attemptCount += 1;
      const pause = pauseAfter(finished, this.#attemptCount, this.#order.hook, Math.random());
      if (this.#attemptCount > 1 || pause !== undefined)
        await this.#recordAttempt(finished, startedAt);
      if (pause === undefined || this.#order.cancel.aborted) return finished;
      const next = await this.#wait(pause, finished);
      if (next) return next;
    }
  }

  async #once(): Promise<Finished> {
    const { hook, command, cancel, listen } = this.#order;
    const result = await spawnCommand(hook, command, this.#run.id, this.#services, {
      signal: cancel.signal,
      onOutput: (stream, data) => {
        this.#run.output(stream, data);
        listen?.(data);
      },
    });
    const end = finishedFrom(result, hook.values.timeout);
    return end.state === "cancelled" ? { ...end, ...cancelled(cancel) } : end;
  }

  /** Waits for the next try; otherwise how it ends instead. */
  async #wait(pause: number, finished: Finished): Promise<Finished | undefined> {
    const resume = serializeResume(this.#order.command, this.#attemptCount);
    const waits = resume !== undefined && (await this.#queued(resume));
    try {
      await this.#services.clock.sleep(pause, this.#either);
    } catch {
      return this.#instead(waits, finished);
    }
    return !waits || (await this.begin()) ? undefined : this.#instead(waits, finished);
  }

  get #either(): AbortSignal {
    const { cancel, drain } = this.#order;
    return AbortSignal.any([cancel.signal, drain.signal]);
  }

  /** What there is instead of a next try. */
  #instead(waits: boolean, finished: Finished): Finished {
    const { cancel, command } = this.#order;
    if (isByPerson(cancel)) return { ...finished, state: "cancelled", ...cancelled(cancel) };
    return waits && !command.awaited ? interrupted : finished;
  }

  async #queued(resume: ResumeState): Promise<boolean> {
    try {
      await this.#run.queued(resume);
      return true;
    } catch {
      // It goes on without: a record that cannot be written is no reason to give up.
      return false;
    }
  }

  async #recordAttempt(finished: Finished, startedAt: number): Promise<void> {
    const { state, exitCode, signal, reason, duration } = finished;
    const { detail, hook } = this.#order;
    const took = Math.round(duration);
    this.#attempts.push({ startedAt, took, state, exitCode, signal, reason });
    const attempts = hook.values.retry?.values.attempts ?? this.#attemptCount;
    this.#run.output("stderr", `[try ${this.#attemptCount} of ${attempts}: ${reason ?? state}]\n`);
    await this.#run.detail({ ...detail, attempts: this.#attempts }).catch(() => undefined);
  }
}

/** Milliseconds. */
const RECORD_AGAIN = 1000;

export const errorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
