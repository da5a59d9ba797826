/** Runs while they go on: many as they start and end, one with its output as it comes. */
import { setTimeout as delay } from "node:timers/promises";
import type {
  DaemonEvent,
  RunQuery,
  RunRecord,
  RunSummary,
} from "../../daemon/http/control/api.js";
import type { Control } from "../control/client.js";
import { ControlError } from "../control/problem.js";
import { watch } from "../control/watch.js";
import type { Output } from "../plugin-api/output.js";
import { paintedState } from "./layout.js";
import { OutputCursor } from "./output-cursor.js";
import { exitText, isOver, showRun, tookText } from "./runs.js";
import { streamNotices } from "./stream-notices.js";
import { oneLine } from "./text.js";
import { absolute } from "./units.js";

export interface FollowOptions {
  /** One run a line, as JSON. */
  readonly json: boolean;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** First the newest runs, oldest at the top, then a line whenever one of them, or a new one, gets into another state. */
export async function followRuns(
  control: Control,
  query: RunQuery,
  { json, output: { out, err }, signal }: FollowOptions,
): Promise<void> {
  const printedStates = new Map<string, string>();
  const print = (run: RunSummary) => {
    if (printedStates.get(run.id) === run.state) return;
    printedStates.set(run.id, run.state);
    out.line(json ? JSON.stringify(run) : lineOf(run));
  };
  const lineOf = (run: RunSummary) => {
    const now = Date.now();
    const exit = exitText(run);
    return [
      out.paint("dim", absolute(run.finishedAt ?? run.startedAt ?? run.queuedAt, now)),
      oneLine(run.id),
      out.paint("bold", oneLine(run.subject)),
      paintedState(out, run.state),
      ...(exit === "" || exit === "0" ? [] : [`exit ${oneLine(exit)}`]),
      ...(isOver(run) ? [tookText(run, now)] : []),
      ...(run.reason === undefined ? [] : [oneLine(run.reason)]),
    ].join("  ");
  };
  const remark = streamNotices(err);
  for await (const line of watch(control, { signal })) {
    remark(line);
    if (line.line === "snapshot") {
      const { runs } = await control.runs(query);
      for (const run of runs.toReversed()) print(run);
    }
    const run = line.line === "event" ? await runOf(control, line) : undefined;
    if (run && isWanted(run, query)) print(run);
  }
}

/** The run that an event is about, if there is one and its record is still kept. */
async function runOf(control: Control, event: DaemonEvent): Promise<RunSummary | undefined> {
  const { id } = event.data;
  if (!event.type.startsWith("run.") || typeof id !== "string") return undefined;
  try {
    const { output, request: _, ...run } = await control.run(id);
    return { ...run, output: { bytes: output.bytes, omitted: output.omitted } };
  } catch (thrown) {
    if (thrown instanceof ControlError) return undefined;
    throw thrown;
  }
}

function isWanted(run: RunSummary, { kind, subject, state, host }: RunQuery): boolean {
  return (
    (kind === undefined || run.kind === kind) &&
    (subject === undefined || run.subject === subject) &&
    (state === undefined || run.state === state) &&
    (host === undefined || run.host === host)
  );
}

/** Milliseconds between two looks: output is no event. */
const PAUSE = 400;

/** What is known of the run, its output as it comes, and how it ended. */
export async function followRun(
  control: Control,
  first: RunRecord,
  { json, output, signal }: FollowOptions,
): Promise<void> {
  const { out } = output;
  if (!json) showRun(out, first, Date.now());
  let run = first;
  const printed = new OutputCursor();
  for (;;) {
    if (!json) out.write(printed.next(run.output));
    if (isOver(run) || signal.aborted) break;
    await delay(PAUSE, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    run = await control.run(first.id);
  }
  if (json) out.line(JSON.stringify(run));
  else if (!isOver(first) && isOver(run)) {
    out.write(printed.end());
    const reason = run.reason === undefined ? "" : `  ${oneLine(run.reason)}`;
    const took = tookText(run, Date.now());
    out.line(`${paintedState(out, run.state)}  ${took}${reason}`);
  }
}
