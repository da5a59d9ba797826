/** The output of many runs, one after the other, each below a line that says whose it is. */
import type { RunQuery, RunSummary } from "../../daemon/http/control/api.js";
import type { Control } from "../control/client.js";
import { ControlError } from "../control/problem.js";
import { watch } from "../control/watch.js";
import type { Output } from "../plugin-api/output.js";
import { paintedState } from "./layout.js";
import { isOver, tookText } from "./runs.js";
import { streamNotices } from "./stream-notices.js";
import { manyLines, oneLine } from "./text.js";
import { absolute } from "./units.js";

interface Printing {
  /** One run a line, as JSON. */
  readonly json: boolean;
  readonly output: Output;
}

/** Of these runs; those whose records are no longer kept are left out. */
export async function logsOf(
  control: Control,
  runs: ReadonlyArray<Pick<RunSummary, "id">>,
  { json, output: { out } }: Printing,
): Promise<void> {
  for (const { id } of runs) {
    const run = await control.run(id).catch((thrown: unknown) => {
      if (thrown instanceof ControlError && runs.length > 1) return undefined;
      throw thrown;
    });
    if (!run) continue;
    if (json) {
      out.line(JSON.stringify(run));
      continue;
    }
    const now = Date.now();
    const began = absolute(run.startedAt ?? run.queuedAt, now);
    const took = isOver(run) ? `  ${tookText(run, now)}` : "";
    out.line(
      `${out.paint("dim", began)}  ${out.paint("bold", oneLine(run.subject))}  ${paintedState(out, run.state)}${took}  ${oneLine(run.id)}`,
    );
    const text = manyLines(run.output.text);
    out.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
  }
}

/** Of every run that ends from now on, until `signal` is aborted. */
export async function followLogs(
  control: Control,
  { kind, subject }: RunQuery,
  { signal, ...printing }: Printing & { readonly signal: AbortSignal },
): Promise<void> {
  const remark = streamNotices(printing.output.err);
  for await (const line of watch(control, { signal })) {
    remark(line);
    if (line.line !== "event" || line.type !== "run.finished") continue;
    const { data } = line;
    const isWanted = subject === undefined ? data.kind === kind : data.subject === subject;
    if (isWanted && typeof data.id === "string") {
      await logsOf(control, [{ id: data.id }], printing);
    }
  }
}
