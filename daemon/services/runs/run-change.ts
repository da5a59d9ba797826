/** What becomes of a run's record, and the line of a journal that says so. */
import type { RunRecord, RunResult, RunState } from "../../plugin-api/state.js";
import { decode } from "../store/json.js";
import type { CapturedOutput } from "./run-output.js";

export interface NewRow {
  readonly plugin: string;
  readonly kind: string;
  readonly subject: string;
  readonly trigger: string | undefined;
  readonly generation: number;
  readonly queuedAt: number;
}

export interface End {
  readonly result: Omit<RunResult, "state"> & { readonly state: RunState };
  readonly at: number;
  readonly output: CapturedOutput;
  /** Characters of what it said and of what asked for it. */
  readonly size: number;
}

/** What has changed; later changes are put into earlier ones as long as neither is in the table. Texts are JSON. */
export interface RunChange {
  readonly id: string;
  /** There was no record before. */
  row?: NewRow | undefined;
  /** An interrupted run that was resumed. */
  reopened?: { readonly plugin: string; readonly generation: number } | undefined;
  moved?: { readonly state: "queued" | "running"; readonly at: number | undefined } | undefined;
  end?: End | undefined;
  detail?: string | undefined;
  request?: string | undefined;
  /** What it takes to carry it out another time, and whose it is; nothing of it where that is forgotten. */
  resume?: { readonly plugin: string; readonly data: string } | "forgotten" | undefined;
}

/** Puts a later change into an earlier one. */
export function merge(into: RunChange, later: RunChange): void {
  if (later.moved) into.moved = later.moved;
  if (later.end) into.end = later.end;
  if (later.detail !== undefined) into.detail = later.detail;
  if (later.resume !== undefined) into.resume = later.resume;
}

/** In parts between tabs. JSON has no tabs and no ends of lines of its own, so texts that are JSON already are not written anew. */
export function encodeChange({ detail = "", request = "", resume, ...rest }: RunChange): string {
  const kept = typeof resume === "object" ? resume : undefined;
  const head = JSON.stringify({ ...rest, resume: kept ? kept.plugin : resume === "forgotten" });
  return `${head}\t${detail}\t${request}\t${kept?.data ?? ""}`;
}

/** Nothing for what makes no sense. */
export function decodeChange(line: string): RunChange | undefined {
  // Earlier versions ended it as a line.
  const [head = "", detail = "", request = "", data = ""] = line.replace(/\n$/, "").split("\t");
  try {
    const { resume, ...rest } = JSON.parse(head) as RunChange & { resume: string | boolean };
    const kept = typeof resume === "string" ? ({ plugin: resume, data } as const) : undefined;
    return {
      ...rest,
      ...(detail === "" ? {} : { detail }),
      ...(request === "" ? {} : { request }),
      ...(resume === true ? { resume: "forgotten" } : kept ? { resume: kept } : {}),
    };
  } catch {
    return undefined;
  }
}

/** The record of a run that is in no table yet. */
export function recordOf(change: RunChange & { readonly row: NewRow }): RunRecord {
  const { id, row, moved, end, detail, request } = change;
  const { exitCode, signal, reason } = end?.result ?? {};
  return {
    id,
    kind: row.kind,
    subject: row.subject,
    state: stateOf(change),
    trigger: row.trigger,
    generation: row.generation,
    queuedAt: row.queuedAt,
    startedAt: moved?.at,
    finishedAt: end?.at,
    ...{ exitCode, signal, reason },
    detail: decode(detail),
    output: end?.output ?? { text: "", bytes: 0, omitted: 0 },
    ...(request === undefined ? {} : { request: decode(request) }),
  };
}

export const stateOf = ({ moved, end }: RunChange): RunState =>
  end?.result.state ?? moved?.state ?? "running";
