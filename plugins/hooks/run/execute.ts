/** One accepted request: its record, its turn, its command, its end. */
import type { Run } from "reeve/plugin";
import type { Account } from "../history/account.js";
import { carryOut, type Gifts, type Order, sentence } from "./carry-out.js";
import type { Finished } from "./finished.js";
import { pack } from "./parcel.js";
import { survivesInterruption } from "./retry.js";

/** A run that is on record: it survives the daemon. */
export interface Started {
  readonly id: string;
  /** Never rejects. */
  readonly finished: Promise<Finished>;
}

interface NewOrder extends Omit<Order, "detail" | "parcel" | "queued"> {
  /** What is kept of the request. */
  readonly account?: Account | undefined;
}

/** Resolves as soon as the run is on record. @throws when it cannot be recorded; the place is free again then. */
export async function execute({ account, ...order }: NewOrder, gifts: Gifts): Promise<Started> {
  const { hook, command, place, trigger } = order;
  const detail = { argv: shownArgv(command.argv, account?.hide) };
  const parcel = place.waited || survivesInterruption(hook, 1) ? pack(command, 0) : undefined;
  let run: Run;
  try {
    run = await gifts.runs.start({
      kind: "hook",
      subject: hook.key,
      state: place.waited ? "queued" : "running",
      trigger,
      detail,
      ...(account && { request: account.askedFor }),
      ...(parcel === undefined ? {} : { resume: parcel }),
    });
  } catch (thrown) {
    place.leave();
    throw thrown;
  }
  return {
    id: run.id,
    finished: finish(run, { ...order, detail, parcel, queued: place.waited }, gifts),
  };
}

const SHOWN_WORDS = 32;
const SHOWN_LENGTH = 256;

/** As it is kept with a run. */
export const shownArgv = (
  argv: readonly string[],
  hide: (text: string) => string = (text) => text,
): readonly string[] => argv.slice(0, SHOWN_WORDS).map((word) => shortened(hide(word)));

const shortened = (word: string): string =>
  word.length > SHOWN_LENGTH ? `${word.slice(0, SHOWN_LENGTH)}…` : word;

/** Carries a run out that is on record. Never rejects. */
export async function finish(run: Run, order: Order, gifts: Gifts): Promise<Finished> {
  const finished = await carryOut(run, order, gifts);
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
