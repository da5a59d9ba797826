/** One accepted request: its record, its turn, its command, its end. */
import type { PluginContext, ProcessResult, Run, RunResult } from "reeve/plugin";
import type { HookBlock } from "../blocks/blocks.js";
import type { Command } from "../decide/command.js";
import type { Account } from "../history/account.js";
import type { Place } from "./lane.js";

/** How a run ended; `output` is what the command printed, both streams in their order. */
export interface Finished extends RunResult {
  readonly output: Uint8Array;
  /** Bytes that `output` left out. */
  readonly omitted: number;
  /** Milliseconds that the command took; 0 if it never started. */
  readonly duration: number;
  /** It never got its turn. */
  readonly lost?: "dropped" | "stopping";
  readonly started: boolean;
}

/** A run that is on record: it survives the daemon. */
export interface Started {
  readonly id: string;
  /** Never rejects. */
  readonly finished: Promise<Finished>;
}

export interface Order {
  readonly hook: HookBlock;
  readonly command: Command;
  readonly place: Place;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  /** What is kept of the request. */
  readonly account?: Account | undefined;
  /** Aborted when this run alone is to end. */
  readonly cancel: AbortSignal;
}

type Gifts = Pick<PluginContext, "runs" | "processes" | "log">;

/** Resolves as soon as the run is on record. @throws when it cannot be recorded; the place is free again then. */
export async function execute(order: Order, gifts: Gifts): Promise<Started> {
  const { hook, command, place, trigger, account } = order;
  let run: Run;
  try {
    run = await gifts.runs.start({
      kind: "hook",
      subject: hook.key,
      state: place.waited ? "queued" : "running",
      trigger,
      detail: { argv: shownArgv(command.argv, account?.hide) },
      ...(account && { request: account.askedFor }),
    });
  } catch (thrown) {
    place.leave();
    throw thrown;
  }
  return { id: run.id, finished: finish(run, order, gifts) };
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

async function finish(run: Run, order: Order, gifts: Gifts): Promise<Finished> {
  const finished = await carryOut(run, order, gifts);
  order.place.leave();
  try {
    const { state, exitCode, signal: killedBy, reason } = finished;
    await run.finish({
      state,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(killedBy === undefined ? {} : { signal: killedBy }),
      ...(reason === undefined ? {} : { reason }),
    });
  } catch (thrown) {
    gifts.log.error("the end of a run could not be recorded", {
      run: run.id,
      hook: order.hook.label,
      reason: sentence(thrown),
    });
  }
  return finished;
}

async function carryOut(
  run: Run,
  { hook, command, place, cancel: signal }: Order,
  gifts: Gifts,
): Promise<Finished> {
  try {
    const turn = await place.turn;
    if (turn !== "go") return signal.aborted ? { ...lost(turn), ...cancelled(signal) } : lost(turn);
    if (place.waited) await run.running();
    const { cwd, inherit_env, timeout, output_limit } = hook.values;
    const result = await gifts.processes.run({
      argv: command.argv,
      env: { ...command.env, REEVE_HOOK: hook.label ?? "", REEVE_RUN: run.id },
      inheritEnv: inherit_env,
      timeout,
      outputLimit: output_limit,
      signal,
      onOutput: (stream, data) => run.output(stream, data),
      ...(cwd === undefined ? {} : { cwd }),
      ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    });
    const end = ended(result, timeout);
    return end.state === "cancelled" ? { ...end, ...cancelled(signal) } : end;
  } catch (thrown) {
    return failed(`The command could not be run: ${sentence(thrown)}`);
  }
}

/** In one sentence; the daemon's own stop has none. */
const cancelled = ({ reason }: AbortSignal): { readonly reason: string } => ({
  reason: typeof reason === "string" ? reason : "The daemon stopped.",
});

function ended(result: ProcessResult, timeout: number): Finished {
  const { outcome, exitCode, signal, error, stdout, omitted, duration } = result;
  const common = {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    output: stdout,
    omitted,
    duration,
    started: outcome !== "not_started",
  };
  switch (outcome) {
    case "exited":
      return exitCode === 0
        ? { state: "succeeded", ...common }
        : { state: "failed", reason: `The command ended with status ${exitCode}.`, ...common };
    case "killed":
      return { state: "failed", reason: `The command was ended by ${signal}.`, ...common };
    case "timed_out":
      return {
        state: "timed_out",
        reason: `The command took longer than ${timeout} ms.`,
        ...common,
      };
    case "cancelled":
      return { state: "cancelled", reason: "The daemon stopped.", ...common };
    default:
      return { state: "failed", reason: error ?? "The command could not be started.", ...common };
  }
}

const nothing = { output: new Uint8Array(), omitted: 0, duration: 0, started: false } as const;

const failed = (reason: string): Finished => ({ state: "failed", reason, ...nothing });

const lost = (loss: "dropped" | "stopping"): Finished => ({
  state: "cancelled",
  reason:
    loss === "dropped" ? "A newer request took its place in the queue." : "The daemon stopped.",
  lost: loss,
  ...nothing,
});

const sentence = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
