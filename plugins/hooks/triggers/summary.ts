/** What the summaries and panels of schedules, watches and tasks share. */
import type { Column, Panel } from "reeve/plugin";
import type { BlockSummary } from "../evidence/api.js";
import type { TriggerBlock } from "./command-block.js";
import type { TriggerState } from "./trigger-blocks.js";

export function blockSummary<Block extends TriggerBlock>({
  block,
  runtime,
}: Readonly<TriggerState<Block>>): BlockSummary {
  const { statistics } = runtime.meter;
  return {
    name: block.label ?? "",
    subject: block.key,
    ...(block.doc === undefined ? {} : { doc: block.doc }),
    running: runtime.admission.running,
    waiting: runtime.admission.waiting,
    ...(statistics.lastRun && { lastRun: statistics.lastRun }),
  };
}

/** Rows beyond a screen are not worth sending every second. */
const ROWS = 200;

type Row = Extract<Panel, { kind: "table" }>["rows"][number];

export const blockPanel = <State>(
  { id, title, columns }: { id: string; title: string; columns: readonly Column[] },
  states: readonly State[],
  rowOf: (state: State) => Row,
): Panel => ({
  kind: "table",
  id,
  title,
  columns,
  rows: states.slice(0, ROWS).map(rowOf),
  ...(states.length > ROWS ? { omitted: states.length - ROWS } : {}),
});
