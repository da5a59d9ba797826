/** Admits invocations of a block: rate, repeated deliveries, concurrency, keys and the queue. It outlives edits of the block. */
import type { PluginContext } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { Refusal } from "../decide/refusal.js";
import { ConcurrencyQueue, type QueueLimits, type Slot } from "./concurrency-queue.js";
import { Deliveries } from "./deliveries.js";
import type { Invocation } from "./invocation.js";
import { notRecorded, queueFull, repeated } from "./not-accepted.js";
import { RateLimit } from "./rate-limit.js";

/** Milliseconds that a request waits for room in the queue with `overflow = "wait"`. */
const PATIENCE = 30_000;

/** Milliseconds that a command takes, before one has ended. */
const USUAL_PACE = 1000;

/** The right to run once: call `accepted`, if there is one, or `refused`. */
export interface Permit {
  readonly slot: Slot;
  /** Its run is recorded: repetitions of its delivery are refused. */
  accepted?(run: string): Promise<void>;
  /** It became no run. */
  refused(): void;
}

export class Admission {
  readonly rateLimit = new RateLimit();
  readonly #queue: ConcurrencyQueue;
  readonly #deliveries: Deliveries;
  readonly #pace: () => number | undefined;

  /** `pace`: the usual duration of a command, in milliseconds. */
  constructor(
    { values }: CommandBlock,
    context: Pick<PluginContext, "store" | "runs" | "clock" | "log">,
    pace: () => number | undefined,
  ) {
    this.#queue = new ConcurrencyQueue(values);
    this.#deliveries = new Deliveries(context);
    this.#pace = pace;
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  set limits(limits: QueueLimits) {
    this.#queue.limits = limits;
  }

  /** At once where nothing has to be waited for; never rejects. */
  admit(invocation: Invocation): Permit | Refusal | Promise<Permit | Refusal> {
    const { block, command } = invocation;
    const { dedupe, overflow } = block.values;
    const { delivery } = command;
    if (dedupe && delivery !== undefined)
      return this.#admitOnce(invocation, delivery, dedupe.values.within);
    if (overflow === "wait")
      return this.#waitForSlot(command.key).then((slot) => this.#permit(block, slot));
    return this.#permit(block, this.#queue.acquire(command.key));
  }

  #permit(block: CommandBlock, slot: Slot | undefined): Permit | Refusal {
    return slot ? { slot, refused: slot.leave } : this.#full(block);
  }

  async #admitOnce(
    { block, command: { key } }: Invocation,
    delivery: string,
    within: number,
  ): Promise<Permit | Refusal> {
    try {
      const claim = await this.#deliveries.claim(block.key, delivery, within);
      if ("repeated" in claim) return repeated(claim.repeated);
      const isPatient = block.values.overflow === "wait";
      const slot = isPatient ? await this.#waitForSlot(key) : this.#queue.acquire(key);
      if (!slot) {
        claim.release();
        return this.#full(block);
      }
      const refused = (): void => {
        slot.leave();
        claim.release();
      };
      return { slot, accepted: claim.keep, refused };
    } catch (thrown) {
      return notRecorded(thrown);
    }
  }

  /** A slot even in a full queue, for a run that a previous daemon accepted. The order of calls is the order of turns. */
  readmit(key: string | undefined): Slot {
    return this.#queue.reacquire(key);
  }

  /** Gives up everything that waits. */
  clear(): void {
    this.#queue.clear();
  }

  /** Resolves when nothing runs or waits. */
  empty(): Promise<void> {
    return this.#queue.empty();
  }

  #waitForSlot(key: string | undefined): Promise<Slot | undefined> {
    return this.#queue.acquireWithin(key, () => AbortSignal.timeout(PATIENCE));
  }

  #full({ values: { concurrency } }: CommandBlock): Refusal {
    return queueFull(((this.#pace() ?? USUAL_PACE) * (this.waiting + 1)) / concurrency);
  }
}
