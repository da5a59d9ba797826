/** Executes a run: waits for its turn, then attempts it until it ends. */
import type { PluginContext, Run } from "reeve/plugin";
import { commandOf, type HookCommand } from "../decide/command.js";
import type { Cancellation } from "./cancellation.js";
import type { Chain } from "./chain.js";
import type { Slot, SlotLoss } from "./concurrency-queue.js";
import type { DrainSignal } from "./drain-signal.js";
import { type Finished, failed, finishedFrom, interrupted, lost } from "./finished.js";
import type { Detail, Invocation } from "./invocation.js";
import { type ResumeState, serializeResume } from "./resume-state.js";
import { pauseAfter, survivesInterruption } from "./retry.js";
import { type SpawnServices, spawnCommand } from "./spawn-command.js";
import { startThrottle } from "./start-throttle.js";

/** An invocation with its place in the queue and a record. */
export interface AdmittedRun {
  readonly invocation: Invocation;
  readonly slot: Slot;
  readonly cancel: Cancellation;
  /** Whether its record is in the state `queued`. */
  readonly isQueued: boolean;
  /** Whether its record keeps what the next daemon needs to resume it. */
  readonly isResumable: boolean;
}

/** What the runs of a block share. */
export interface RunTools {
  readonly services: Pick<PluginContext, "runs" | "log" | "clock"> & SpawnServices;
  readonly chain: Chain;
  /** Waiting runs are left to the next daemon. */
  readonly drain: DrainSignal;
  readonly lossOf: LossCheck | undefined;
}

/** The reason why a recorded run must not begin; `undefined` if it may. Asked again if it rejects. */
export type LossCheck = (run: string, detail: Detail) => Promise<string | undefined>;

/** Never rejects. */
export async function executeRun(
  run: Run,
  admitted: AdmittedRun,
  tools: RunTools,
): Promise<Finished> {
  const { invocation, isQueued } = admitted;
  try {
    const loss = await lossOf(run, admitted, tools);
    if (loss !== undefined) return { ...lost("stopping"), reason: loss };
    const turn = await turnOf(admitted, tools);
    if (turn !== "go") return notStarted(admitted, turn);
    if (!invocation.command.awaited) await startThrottle.turn();
    const attempts = new RunAttempts(run, admitted, tools);
    if (isQueued && !(await attempts.begin())) return notStarted(admitted, "stopping");
    await tools.chain.began(run.id, invocation.block.key);
    return await attempts.all();
  } catch (thrown) {
    return failed(`Cannot run the command: ${errorMessage(thrown)}`);
  }
}

async function lossOf(
  { id }: Run,
  { invocation: { detail }, cancel }: AdmittedRun,
  { lossOf: check, drain, services: { clock, log } }: RunTools,
): Promise<string | undefined> {
  while (check && !cancel.aborted && !drain.signal.aborted) {
    try {
      return await check(id, detail);
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

function notStarted(admitted: AdmittedRun, loss: SlotLoss): Finished {
  if (loss === "stopping" && isLeft(admitted)) return interrupted;
  const { cancel } = admitted;
  return cancel.aborted ? { ...lost(loss), ...cancelled(cancel) } : lost(loss);
}

/** Whether the next daemon resumes it: not if the sender waits for the response, or a user cancelled it. */
const isLeft = ({ invocation: { command }, isResumable, cancel }: AdmittedRun): boolean =>
  isResumable && !command.awaited && !isByPerson(cancel);

const isByPerson = ({ reason }: Cancellation): boolean => typeof reason === "string";

const cancelled = ({ reason }: Cancellation): Pick<Finished, "byPerson"> & { reason: string } =>
  typeof reason === "string" ? { reason, byPerson: true } : { reason: "The daemon stopped." };

async function turnOf(admitted: AdmittedRun, { drain }: RunTools): Promise<"go" | SlotLoss> {
  const { slot } = admitted;
  if (!slot.waited || !isLeft(admitted)) return slot.turn;
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
  readonly #invocation: Invocation;
  readonly #cancel: Cancellation;
  readonly #tools: RunTools;
  /** Attempts started so far. */
  #tried: number;
  readonly #attempts: unknown[];

  constructor(run: Run, { invocation, cancel }: AdmittedRun, tools: RunTools) {
    const { tried, detail } = invocation;
    this.#run = run;
    this.#invocation = invocation;
    this.#cancel = cancel;
    this.#tools = tools;
    this.#tried = tried;
    this.#attempts = Array.isArray(detail.attempts) ? [...detail.attempts] : [];
  }

  /** Records the state `running`: no command runs unrecorded. Returns whether it may run. */
  async begin(): Promise<boolean> {
    if (this.#isEnding) return false;
    const { block } = this.#invocation;
    const keep =
      survivesInterruption(block, this.#tried + 1) || this.#tools.chain.follows(block.key);
    return this.#recorded("its start", () => this.#run.running({ keep }));
  }

  async all(): Promise<Finished> {
    for (;;) {
      const startedAt = this.#tools.services.clock.now();
      const finished = await this.#once();
      this.#tried += 1;
      const pause = pauseAfter(finished, this.#tried, this.#invocation.block, Math.random());
      if (this.#tried > 1 || pause !== undefined) await this.#recordAttempt(finished, startedAt);
      if (pause === undefined || this.#cancel.aborted) return finished;
      const next = await this.#wait(pause, finished);
      if (next) return next;
    }
  }

  /** Evaluated again for each attempt if it may read `attempt`. */
  get #command(): HookCommand {
    const { block, command } = this.#invocation;
    if (this.#tried === 0 || command.scope?.attempt === undefined) return command;
    const scope = { ...command.scope, attempt: this.#tried + 1 };
    const next = commandOf(block, scope, new Uint8Array());
    return "reason" in next ? command : next;
  }

  async #once(): Promise<Finished> {
    const { block, listen } = this.#invocation;
    const { services } = this.#tools;
    const result = await spawnCommand(block, this.#command, this.#run.id, services, {
      signal: this.#cancel.signal,
      onOutput: (stream, data) => {
        this.#run.output(stream, data);
        listen?.(data);
      },
    });
    const end = finishedFrom(result, block.values.timeout);
    return end.state === "cancelled" ? { ...end, ...cancelled(this.#cancel) } : end;
  }

  /** Waits for the next attempt; returns the end if there is none. */
  async #wait(pause: number, finished: Finished): Promise<Finished | undefined> {
    const resume = serializeResume(this.#invocation.command, this.#tried);
    if (resume && !(await this.#queued(resume))) return this.#instead(false, finished);
    try {
      await this.#tools.services.clock.sleep(pause, this.#either);
    } catch {
      return this.#instead(resume !== undefined, finished);
    }
    return !resume || (await this.begin()) ? undefined : this.#instead(true, finished);
  }

  get #either(): AbortSignal {
    return AbortSignal.any([this.#cancel.signal, this.#tools.drain.signal]);
  }

  /** The end of a run without another attempt. */
  #instead(isResumable: boolean, finished: Finished): Finished {
    const cancel = this.#cancel;
    if (isByPerson(cancel)) return { ...finished, state: "cancelled", ...cancelled(cancel) };
    return isResumable && !this.#invocation.command.awaited ? interrupted : finished;
  }

  /** Otherwise the next daemon would count one attempt less. */
  #queued(resume: ResumeState): Promise<boolean> {
    return this.#recorded("its next attempt", () => this.#run.queued(resume));
  }

  get #isEnding(): boolean {
    return this.#cancel.aborted || this.#tools.drain.signal.aborted;
  }

  /** Waits while the disk is full. Returns `false` if the run or the daemon ends before. */
  async #recorded(what: string, write: () => Promise<void>): Promise<boolean> {
    const { clock, log } = this.#tools.services;
    for (;;) {
      try {
        await write();
        return true;
      } catch (thrown) {
        log.warn(`A run waits until ${what} can be recorded`, {
          run: this.#run.id,
          reason: errorMessage(thrown),
        });
      }
      await clock.sleep(RECORD_AGAIN, this.#either).catch(() => undefined);
      if (this.#isEnding) return false;
    }
  }

  async #recordAttempt(finished: Finished, startedAt: number): Promise<void> {
    const { state, exitCode, signal, reason, duration } = finished;
    const { detail, block } = this.#invocation;
    const took = Math.round(duration);
    this.#attempts.push({ startedAt, took, state, exitCode, signal, reason });
    const attempts = block.values.retry?.values.attempts ?? this.#tried;
    this.#run.output("stderr", `[try ${this.#tried} of ${attempts}: ${reason ?? state}]\n`);
    await this.#run.detail({ ...detail, attempts: this.#attempts }).catch(() => undefined);
  }
}

/** Milliseconds. */
const RECORD_AGAIN = 1000;

export const errorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
