/** Where a sender who did not wait asks what became of a run, and what is told there. */
import type { RunRecord, Runs } from "reeve/plugin";
import { type Refusal, refuse } from "../decide/refusal.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { survivesInterruption } from "../runs/retry.js";
import type { HookResponse } from "./response.js";
import { TICKET_SHAPE, type Tickets } from "./tickets.js";

export interface PollState {
  /** Nothing where no hook can be asked. */
  readonly tickets: Tickets | undefined;
  readonly runs: Pick<Runs, "get" | "left">;
}

/** Somebody who was told of a run asks for it. */
export interface Poll {
  readonly hook: HookRuntime;
  readonly run: string;
}

const POLL_PATH = new RegExp(`^(.+)/runs/([0-9a-z]{20})\\.(${TICKET_SHAPE})$`);

/** The end of an address whose ticket is good; `hookAt` says whose its beginning is. `written`: behind the prefix. */
export function pollOf(
  { tickets }: PollState,
  written: string | undefined,
  hookAt: (written: string) => HookRuntime | undefined,
): Poll | undefined {
  if (!tickets || !written) return undefined;
  const [, path, run, ticket] = POLL_PATH.exec(written) ?? [];
  if (path === undefined || run === undefined || ticket === undefined) return undefined;
  const hook = hookAt(path);
  if (!hook?.block.values.response?.values.poll) return undefined;
  return tickets.admits({ hook: hook.block.key, run }, ticket) ? { hook, run } : undefined;
}

/** `written`: the path at which the hook was called, behind `prefix` and its slash. Nothing where it cannot be asked. */
export function pollLocation(
  { tickets }: PollState,
  { values: { response }, key }: HookRuntime["block"],
  { prefix, written, run }: { prefix: string; written: string; run: string },
): string | undefined {
  if (!tickets || !response?.values.poll) return undefined;
  const start = prefix === "/" ? "" : prefix;
  return `${start}/${written}/runs/${run}.${tickets.for({ hook: key, run })}`;
}

export function pollRefusal(method: string): Refusal | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  const allow = "GET, HEAD";
  return refuse("method_not_allowed", "A run can only be asked about, with GET.", {
    headers: { allow },
  });
}

/** What became of it so far, or that nothing is known of it. */
export async function pollResponse(
  { runs }: PollState,
  { hook: { block }, run }: Poll,
): Promise<HookResponse | Refusal> {
  const record = await runs.get(run);
  if (record?.subject !== block.key) {
    return refuse("unknown_run", "There is no such run, or its record is not kept any more.");
  }
  const goesOn = !(await hasEnded(record, block, runs));
  return {
    status: 200,
    headers: {
      ...{ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
      ...(goesOn ? { "retry-after": "1" } : {}),
      "reeve-run": run,
    },
    body: JSON.stringify(pollBody(record, block, goesOn)),
  };
}

function pollBody(
  record: RunRecord,
  { label, values }: HookRuntime["block"],
  goesOn: boolean,
): object {
  const { id, state, exitCode, startedAt, finishedAt, output } = record;
  const { include_output, include_output_on_error } = values.response?.values ?? {};
  const shows = state === "succeeded" ? include_output : include_output_on_error;
  return {
    ...{ hook: label, run: id, state, exitCode, startedAt: iso(startedAt) },
    ...(goesOn ? {} : { finishedAt: iso(finishedAt) }),
    ...(shows && !goesOn ? { output: output.text } : {}),
  };
}

/** An interrupted run may still be waiting for somebody to take it up. */
async function hasEnded(
  { id, state }: RunRecord,
  block: HookRuntime["block"],
  runs: PollState["runs"],
): Promise<boolean> {
  if (state === "queued" || state === "running") return false;
  if (state !== "interrupted" || !survivesInterruption(block, 0)) return true;
  return !(await runs.left()).some(({ record }) => record.id === id);
}

const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();
