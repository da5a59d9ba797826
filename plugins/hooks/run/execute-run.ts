/** A run's turn and its tries. */
import type { PluginContext, Run } from "reeve/plugin";
import type { HookBlock } from "../blocks/blocks.js";
import type { Command } from "../decide/command.js";
import type { Cancellation } from "./cancellation.js";
import type { Slot, SlotLoss } from "./concurrency-queue.js";
import type { DrainSignal } from "./drain-signal.js";
import { ended, type Finished, failed, interrupted, lost } from "./finished.js";
import { type ResumeState, serializeResume } from "./resume-state.js";
import { pauseAfter, survivesInterruption } from "./retry.js";
import { type SpawnServices, start } from "./spawn-command.js";
import { pace } from "./start-throttle.js";

export interface QueuedRun extends Signals {
  readonly hook: HookBlock;
  readonly command: Command;
  readonly place: Slot;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  /** Told what the command prints, as it comes. */
  readonly listen?: ((data: Uint8Array) => void) | undefined;
  /** What is told about it beside its record. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Whether its record says that it waits. */
  readonly queued: boolean;
  /** What lies with its record until its turn. Absent, it cannot be carried out another time. */
  readonly parcel?: ResumeState | undefined;
}

export type RunServices = Pick<PluginContext, "runs" | "log" | "clock"> & SpawnServices;

interface Signals {
  /** By a person with a reason, in one sentence. */
  readonly cancel: Cancellation;
  /** When what waits is to be left to whoever comes next. */
  readonly departure: DrainSignal;
}

/** Never rejects. */
export async function executeRun(
  run: Run,
  order: QueuedRun,
  gifts: RunServices,
): Promise<Finished> {
  try {
    const turn = await turnOf(order);
    if (turn !== "go") return notBegun(order, turn);
    if (!order.command.awaited) await pace.turn();
    const trying = new Trying(run, order, gifts);
    if (order.queued && !(await trying.begin())) return notBegun(order, "stopping");
    return await trying.all();
  } catch (thrown) {
    return failed(`The command could not be run: ${sentence(thrown)}`);
  }
}

function notBegun(order: QueuedRun, loss: SlotLoss): Finished {
  if (loss === "stopping" && isLeft(order)) return interrupted;
  return order.cancel.aborted ? { ...lost(loss), ...cancelled(order.cancel) } : lost(loss);
}

/** Somebody who waits for the answer is told that it came to nothing, and whoever cancelled it wants no more of it. */
const isLeft = ({ command, parcel, cancel }: QueuedRun): boolean =>
  parcel !== undefined && !command.awaited && !isByPerson(cancel);

const isByPerson = ({ reason }: Cancellation): boolean => typeof reason === "string";

/** In one sentence; the daemon's own stop has none. */
const cancelled = ({ reason }: Cancellation): Pick<Finished, "byPerson"> & { reason: string } =>
  typeof reason === "string" ? { reason, byPerson: true } : { reason: "The daemon stopped." };

async function turnOf(order: QueuedRun): Promise<"go" | SlotLoss> {
  const { place, departure } = order;
  if (!place.waited || !isLeft(order)) return place.turn;
  const forget = departure.tell(place.cancel);
  try {
    return await place.turn;
  } finally {
    forget();
  }
}

/** One run, from its first try to its last. */
class Trying {
  readonly #run: Run;
  readonly #order: QueuedRun;
  readonly #gifts: RunServices;
  /** How often it has been begun. */
  #tried: number;
  readonly #attempts: unknown[];

  constructor(run: Run, order: QueuedRun, gifts: RunServices) {
    this.#run = run;
    this.#order = order;
    this.#gifts = gifts;
    this.#tried = order.parcel?.tried ?? 0;
    this.#attempts = Array.isArray(order.detail.attempts) ? [...order.detail.attempts] : [];
  }

  /**
   * Puts on record that it runs, which it must not do unseen: a full disk holds it up. Whether it may run.
   */
  async begin(): Promise<boolean> {
    const { cancel, departure } = this.#order;
    const keep = survivesInterruption(this.#order.hook, this.#tried + 1);
    while (!cancel.aborted && !departure.signal.aborted) {
      try {
        await this.#run.running({ keep });
        return true;
      } catch (thrown) {
        this.#gifts.log.warn("a run waits until it can be recorded that it runs", {
          run: this.#run.id,
          reason: sentence(thrown),
        });
        await this.#gifts.clock.sleep(RECORD_AGAIN, this.#either).catch(() => undefined);
      }
    }
    return false;
  }

  async all(): Promise<Finished> {
    for (;;) {
      const begun = this.#gifts.clock.now();
      const finished = await this.#once();
      this.#tried += 1;
      const pause = pauseAfter(finished, this.#tried, this.#order.hook, Math.random());
      if (this.#tried > 1 || pause !== undefined) await this.#tell(finished, begun);
      if (pause === undefined || this.#order.cancel.aborted) return finished;
      const next = await this.#wait(pause, finished);
      if (next) return next;
    }
  }

  async #once(): Promise<Finished> {
    const { hook, command, cancel, listen } = this.#order;
    const result = await start(hook, command, this.#run.id, this.#gifts, {
      signal: cancel.signal,
      onOutput: (stream, data) => {
        this.#run.output(stream, data);
        listen?.(data);
      },
    });
    const end = ended(result, hook.values.timeout);
    return end.state === "cancelled" ? { ...end, ...cancelled(cancel) } : end;
  }

  /** Waits for the next try; otherwise how it ends instead. */
  async #wait(pause: number, finished: Finished): Promise<Finished | undefined> {
    const parcel = serializeResume(this.#order.command, this.#tried);
    const waits = parcel !== undefined && (await this.#queued(parcel));
    try {
      await this.#gifts.clock.sleep(pause, this.#either);
    } catch {
      return this.#instead(waits, finished);
    }
    return !waits || (await this.begin()) ? undefined : this.#instead(waits, finished);
  }

  get #either(): AbortSignal {
    const { cancel, departure } = this.#order;
    return AbortSignal.any([cancel.signal, departure.signal]);
  }

  /** What there is instead of a next try. */
  #instead(waits: boolean, finished: Finished): Finished {
    const { cancel, command } = this.#order;
    if (isByPerson(cancel)) return { ...finished, state: "cancelled", ...cancelled(cancel) };
    return waits && !command.awaited ? interrupted : finished;
  }

  async #queued(parcel: ResumeState): Promise<boolean> {
    try {
      await this.#run.queued(parcel);
      return true;
    } catch {
      // It goes on without: a record that cannot be written is no reason to give up.
      return false;
    }
  }

  async #tell(finished: Finished, begun: number): Promise<void> {
    const { state, exitCode, signal, reason, duration } = finished;
    const { detail, hook } = this.#order;
    const took = Math.round(duration);
    this.#attempts.push({ begun, took, state, exitCode, signal, reason });
    const attempts = hook.values.retry?.values.attempts ?? this.#tried;
    this.#run.output("stderr", `[try ${this.#tried} of ${attempts}: ${reason ?? state}]\n`);
    await this.#run.detail({ ...detail, attempts: this.#attempts }).catch(() => undefined);
  }
}

/** Milliseconds. */
const RECORD_AGAIN = 1000;

export const sentence = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
