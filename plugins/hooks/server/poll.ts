/** Polling: a sender that did not wait asks for the state of its run. */
import type { RunRecord, Runs } from "reeve/plugin";
import { type Refusal, refuse } from "../decide/refusal.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { survivesInterruption } from "../runs/retry.js";
import type { HookResponse } from "./handler.js";
import { TICKET_SHAPE, type Tickets } from "./tickets.js";

/** A request for the state of a run, with a valid ticket. */
export interface Poll {
  readonly hook: HookRuntime;
  readonly run: string;
}

const POLL_PATH = new RegExp(`^(.+)/runs/([0-9a-z]{20})\\.(${TICKET_SHAPE})$`);

/** `path`: below the server's prefix. `hooksAt` finds the hooks of a path. */
export function pollOf(
  tickets: Tickets,
  path: string | undefined,
  hooksAt: (path: string) => ReadonlyArray<{ readonly value: HookRuntime }>,
): Poll | undefined {
  if (!path) return undefined;
  const [, hookPath, run, ticket] = POLL_PATH.exec(path) ?? [];
  if (hookPath === undefined || run === undefined || ticket === undefined) return undefined;
  const found = hooksAt(hookPath).find(
    ({ value: { block } }) =>
      block.values.response?.values.poll === true &&
      tickets.admits({ hook: block.key, run }, ticket),
  );
  return found && { hook: found.value, run };
}

/** `path`: of the hook's own request, below `prefix`. `undefined` for a hook without `poll`. */
export function pollLocation(
  { tickets }: { readonly tickets: Tickets | undefined },
  { values: { response }, key }: HookRuntime["block"],
  { prefix, path, run }: { prefix: string; path: string; run: string },
): string | undefined {
  if (!tickets || !response?.values.poll) return undefined;
  const start = prefix === "/" ? "" : prefix;
  return `${start}/${path}/runs/${run}.${tickets.for({ hook: key, run })}`;
}

export function pollRefusal(method: string): Refusal | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  const allow = "GET, HEAD";
  return refuse("method_not_allowed", "The state of a run is read with GET.", {
    headers: { allow },
  });
}

export async function pollResponse(
  runs: Pick<Runs, "get" | "left">,
  { hook: { block }, run }: Poll,
): Promise<HookResponse | Refusal> {
  const record = await runs.get(run);
  if (record?.subject !== block.key) {
    return refuse("unknown_run", "There is no such run, or its record has expired.");
  }
  const isOpen = !(await hasEnded(record, block, runs));
  return {
    status: 200,
    headers: {
      ...{ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
      ...(isOpen ? { "retry-after": "1" } : {}),
      "reeve-run": run,
    },
    body: JSON.stringify(pollBody(record, block, isOpen)),
  };
}

function pollBody(
  record: RunRecord,
  { label, values }: HookRuntime["block"],
  isOpen: boolean,
): object {
  const { id, state, exitCode, startedAt, finishedAt, output } = record;
  const { include_output, include_output_on_error } = values.response?.values ?? {};
  const shows = state === "succeeded" ? include_output : include_output_on_error;
  return {
    ...{ hook: label, run: id, state, exitCode, startedAt: iso(startedAt) },
    ...(isOpen ? {} : { finishedAt: iso(finishedAt) }),
    ...(shows && !isOpen ? { output: output.text } : {}),
  };
}

/** An interrupted run may still wait for another daemon to resume it. */
async function hasEnded(
  { id, state }: RunRecord,
  block: HookRuntime["block"],
  runs: Pick<Runs, "left">,
): Promise<boolean> {
  if (state === "queued" || state === "running") return false;
  if (state !== "interrupted" || !survivesInterruption(block, 0)) return true;
  return !(await runs.left()).some(({ record }) => record.id === id);
}

const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();
