/** Runs as people read them: a table of many, one with its output. */
import type { RunRecord, RunState, RunSummary } from "../../daemon/http/control/api.js";
import type { Channel } from "../plugin-api/output.js";
import { type Pair, paintedState, stateStyle, stateWord, writePairs } from "./layout.js";
import type { TableColumn } from "./table.js";
import { manyLines, oneLine } from "./text.js";
import { duration, relative, size, when } from "./units.js";

export const runStates: readonly RunState[] = [
  ...(["queued", "running", "succeeded", "failed"] as const),
  ...(["timed_out", "cancelled", "interrupted"] as const),
];

/** Of which host they are stands there where `runs` say so. */
export function runColumns(
  channel: Pick<Channel, "paint">,
  now: number,
  runs: readonly RunSummary[] = [],
): ReadonlyArray<TableColumn<RunSummary>> {
  const host: TableColumn<RunSummary> = {
    title: "HOST",
    cell: (run) => run.host ?? "",
    shrink: 8,
    priority: 4,
  };
  return [
    { title: "ID", cell: ({ id }) => id },
    // Either all of them say so, or none does.
    ...(runs[0]?.host === undefined ? [] : [host]),
    { title: "WHAT", cell: ({ subject }) => subject, shrink: 12 },
    {
      title: "STATE",
      cell: ({ state }) => stateWord(state),
      paint: (text, { state }) => channel.paint(stateStyle(state), text),
    },
    { title: "WHEN", cell: (run) => relative(beganAt(run), now), priority: 1 },
    { title: "TOOK", cell: (run) => tookText(run, now), align: "right", priority: 2 },
    { title: "EXIT", cell: exitText, align: "right", priority: 3 },
    { title: "TRIGGER", cell: ({ trigger }) => trigger ?? "", shrink: 16, priority: 6 },
    {
      title: "OUTPUT",
      cell: ({ output }) => outputSize(output.bytes),
      align: "right",
      priority: 7,
    },
    { title: "REASON", cell: ({ reason }) => reason ?? "", shrink: 20, priority: 5 },
  ];
}

const outputSize = (bytes: number): string => (bytes === 0 ? "" : size(bytes));

/** When it started or, while it waits, when it was queued. */
const beganAt = ({ startedAt, queuedAt }: RunSummary): number => startedAt ?? queuedAt;

/** How long it took, or has been taking; nothing for what has not started. */
export function tookText({ startedAt, finishedAt }: RunSummary, now: number): string {
  if (startedAt === undefined) return "";
  return finishedAt === undefined
    ? `${duration(now - startedAt)}…`
    : duration(finishedAt - startedAt);
}

/** The exit code, or the signal that ended it. */
export function exitText({ exitCode, signal }: RunSummary): string {
  return signal ?? (exitCode === undefined ? "" : String(exitCode));
}

/** Whether nothing more is to come. */
export function isOver({ state }: Pick<RunSummary, "state">): boolean {
  return state !== "queued" && state !== "running";
}

/** What is known of one run, without its output. */
export function showRun(channel: Channel, run: RunSummary, now: number): void {
  const { id, kind, subject, state, trigger, generation, queuedAt, startedAt } = run;
  channel.line(
    `${channel.paint("bold", oneLine(subject))}  ${paintedState(channel, state)}  ${oneLine(id)}`,
  );
  const pairs: readonly Pair[] = [
    ["reason", run.reason && oneLine(run.reason)],
    ["trigger", trigger && oneLine(trigger)],
    ["host", run.host && oneLine(run.host)],
    ["kind", oneLine(kind)],
    ["generation", String(generation)],
    ["queued", startedAt === undefined ? when(queuedAt, now) : waited(startedAt - queuedAt)],
    ["started", startedAt === undefined ? undefined : when(startedAt, now)],
    ["took", tookText(run, now) || undefined],
    ["exit", exitText(run) || undefined],
    ...detailPairs(run.detail),
  ];
  writePairs(channel, pairs, "  ");
}

const waited = (milliseconds: number): string | undefined =>
  milliseconds < 100 ? undefined : `for ${duration(milliseconds)}`;

/** What its plugin keeps beside it; an object's parts each on a line. */
function detailPairs(detail: unknown): readonly Pair[] {
  if (detail === undefined || detail === null) return [];
  const isObject = typeof detail === "object" && !Array.isArray(detail);
  const parts = isObject ? Object.entries(detail) : [["detail", detail] as const];
  return parts.map(([name, value]): Pair => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [oneLine(name), text === undefined ? undefined : oneLine(text)];
  });
}

/** The output as it was, except for what could harm a terminal. */
export function showOutput(channel: Channel, { output }: RunRecord): void {
  const { text, bytes, omitted } = output;
  if (bytes === 0) return;
  const kept = omitted === 0 ? size(bytes) : `${size(bytes)}, ${size(omitted)} of it not kept`;
  channel.line(channel.paint("dim", `--- output (${kept})`));
  const shown = manyLines(text);
  channel.write(shown.endsWith("\n") || shown === "" ? shown : `${shown}\n`);
}
