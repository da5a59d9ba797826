/** Executes a run: waits for its turn, then attempts it until it ends. */
import type { PluginContext, Run } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import { commandOf, type HookCommand } from "../decide/command.js";
import type { Cancellation } from "./cancellation.js";
import type { Chain } from "./chain.js";
import type { Slot, SlotLoss } from "./concurrency-queue.js";
import type { DrainSignal } from "./drain-signal.js";
import { type Finished, failed, finishedFrom, interrupted, lost } from "./finished.js";
import { type ResumeState, serializeResume } from "./resume-state.js";
import { pauseAfter, survivesInterruption } from "./retry.js";
import { type SpawnServices, spawnCommand } from "./spawn-command.js";
import { startThrottle } from "./start-throttle.js";

export interface QueuedRun extends Signals {
  readonly hook: CommandBlock;
  readonly command: HookCommand;
  readonly slot: Slot;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  /** Receives the output as the command prints it. */
  readonly listen?: ((data: Uint8Array) => void) | undefined;
  /** The `detail` of its record. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Whether its record is in the state `queued`. */
  readonly queued: boolean;
  /** Stored with its record until its turn. A run without it cannot be resumed. */
  readonly resume?: ResumeState | undefined;
  readonly lossOf?: LossCheck | undefined;
  readonly chain: Chain;
  /** Whether an earlier daemon may have queued what follows it. */
  readonly isResumed?: boolean;
}

/** The reason why a recorded run must not begin; `undefined` if it may. Asked again if it rejects. */
export type LossCheck = (
  run: string,
  detail: Readonly<Record<string, unknown>>,
) => Promise<string | undefined>;

export type RunServices = Pick<PluginContext, "runs" | "log" | "clock"> & SpawnServices;

interface Signals {
  readonly cancel: Cancellation;
  /** Waiting runs are left to the next daemon. */
  readonly drain: DrainSignal;
}

/** Never rejects. */
export async function executeRun(
  run: Run,
  order: QueuedRun,
  services: RunServices,
): Promise<Finished> {
  try {
    const loss = order.lossOf && (await lossOf(run, order, services));
    if (loss !== undefined) return { ...lost("stopping"), reason: loss };
    const turn = await turnOf(order);
    if (turn !== "go") return notStarted(order, turn);
    if (!order.command.awaited) await startThrottle.turn();
    const trying = new RunAttempts(run, order, services);
    if (order.queued && !(await trying.begin())) return notStarted(order, "stopping");
    await order.chain.began(run.id, order.hook.key);
    return await trying.all();
  } catch (thrown) {
    return failed(`Cannot run the command: ${errorMessage(thrown)}`);
  }
}

async function lossOf(
  { id }: Run,
  { lossOf: check, detail, cancel, drain }: QueuedRun,
  { clock, log }: RunServices,
): Promise<string | undefined> {
  while (!cancel.aborted && !drain.signal.aborted) {
    try {
      return await check?.(id, detail);
    } catch (thrown) {
      log.warn("A run waits until its time can be confirmed", {
        run: id,
        reason: errorMessage(thrown),
      });
      const ended = AbortSignal.any([cancel.signal, drain.signal]);
      await clock.sleep(RECORD_AGAIN, ended).catch(() => undefined);
    }
  }
  return undefined;
}

function notStarted(order: QueuedRun, loss: SlotLoss): Finished {
  if (loss === "stopping" && isLeft(order)) return interrupted;
  return order.cancel.aborted ? { ...lost(loss), ...cancelled(order.cancel) } : lost(loss);
}

/** Whether the next daemon resumes it: not if the sender waits for the response, or a user cancelled it. */
const isLeft = ({ command, resume, cancel }: QueuedRun): boolean =>
  resume !== undefined && !command.awaited && !isByPerson(cancel);

const isByPerson = ({ reason }: Cancellation): boolean => typeof reason === "string";

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

/** The attempts of one run. */
class RunAttempts {
  readonly #run: Run;
  readonly #order: QueuedRun;
  readonly #services: RunServices;
  /** Attempts started so far. */
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
   * Records the state `running`, and waits while the disk is full: no command runs unrecorded. Returns whether it may run.
   */
  async begin(): Promise<boolean> {
    const { cancel, drain, hook, chain } = this.#order;
    const keep = survivesInterruption(hook, this.#attemptCount + 1) || chain.follows(hook.key);
    while (!cancel.aborted && !drain.signal.aborted) {
      try {
        await this.#run.running({ keep });
        return true;
      } catch (thrown) {
        this.#services.log.warn("A run waits until its start can be recorded", {
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

  /** Evaluated again for each attempt if it may read `attempt`. */
  get #command(): HookCommand {
    const { hook, command } = this.#order;
    if (this.#attemptCount === 0 || command.scope?.attempt === undefined) return command;
    const scope = { ...command.scope, attempt: this.#attemptCount + 1 };
    const next = commandOf(hook, scope, new Uint8Array());
    return "reason" in next ? command : next;
  }

  async #once(): Promise<Finished> {
    const { hook, cancel, listen } = this.#order;
    const result = await spawnCommand(hook, this.#command, this.#run.id, this.#services, {
      signal: cancel.signal,
      onOutput: (stream, data) => {
        this.#run.output(stream, data);
        listen?.(data);
      },
    });
    const end = finishedFrom(result, hook.values.timeout);
    return end.state === "cancelled" ? { ...end, ...cancelled(cancel) } : end;
  }

  /** Waits for the next attempt; returns the end if there is none. */
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

  /** The end of a run without another attempt. */
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
      // The run continues even if its record cannot be written.
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
