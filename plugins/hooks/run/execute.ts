/** One accepted request: its record, its turn, its command, its end. */
import type { NewRun, Run } from "reeve/plugin";
import { carryOut, type Gifts, type Order, type Signals, sentence } from "./carry-out.js";
import type { Finished } from "./finished.js";
import { pack } from "./parcel.js";
import { survivesInterruption } from "./retry.js";

/** A run that is on record: it survives the daemon. */
export interface Started {
  readonly id: string;
  /** Never rejects. */
  readonly finished: Promise<Finished>;
}

type NewOrder = Omit<Order, "detail" | "parcel" | "queued"> & Pick<NewRun, "request">;

/** Resolves as soon as the run is on record. @throws when it cannot be recorded; the place is free again then. */
export async function execute(
  { request, ...order }: NewOrder,
  gifts: Gifts,
  signals: Signals,
): Promise<Started> {
  const { hook, command, place, trigger } = order;
  const detail = { argv: command.argv.slice(0, SHOWN_WORDS).map(shortened) };
  const parcel = place.waited || survivesInterruption(hook, 1) ? pack(command, 0) : undefined;
  let run: Run;
  try {
    run = await gifts.runs.start({
      kind: "hook",
      subject: hook.key,
      state: place.waited ? "queued" : "running",
      trigger,
      detail,
      ...(request === undefined ? {} : { request }),
      ...(parcel === undefined ? {} : { resume: parcel }),
    });
  } catch (thrown) {
    place.leave();
    throw thrown;
  }
  return {
    id: run.id,
    finished: finish(run, { ...order, detail, parcel, queued: place.waited }, gifts, signals),
  };
}

const SHOWN_WORDS = 32;
const SHOWN_LENGTH = 256;
const shortened = (word: string): string =>
  word.length > SHOWN_LENGTH ? `${word.slice(0, SHOWN_LENGTH)}…` : word;

/** Carries a run out that is on record. Never rejects. */
export async function finish(
  run: Run,
  order: Order,
  gifts: Gifts,
  signals: Signals,
): Promise<Finished> {
  const finished = await carryOut(run, order, gifts, signals);
  order.place.leave();
  try {
    if (finished.left) await run.leave();
    else await record(run, finished);
  } catch (thrown) {
    gifts.log.error("the end of a run could not be recorded", {
      run: run.id,
      hook: order.hook.label,
      reason: sentence(thrown),
    });
  }
  return finished;
}

const record = (run: Run, { state, exitCode, signal, reason }: Finished): Promise<void> =>
  run.finish({
    state,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(reason === undefined ? {} : { reason }),
  });
