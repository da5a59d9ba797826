/** One run: what started it, how it went, its output. */
import type { RunRecord, RunSummary } from "../../../daemon/http/control/api.js";
import type { View } from "../../plugin-api/screen.js";
import { exitText, isOver, tookText } from "../../print/runs.js";
import { manyLines, oneLine } from "../../print/text.js";
import { duration, size, when } from "../../print/units.js";
import { pairs, wrapped } from "../view/lines.js";
import { stateText, type Theme } from "../view/theme.js";

/** What a plugin shows of the request that led to a run. */
export type EvidenceText = (record: RunRecord, theme: Theme) => readonly string[];

export function runDetail(
  view: View,
  id: string,
  evidence: EvidenceText = () => [],
): readonly string[] {
  const run = runOf(view, id);
  const facts = runFacts(view, id, evidence);
  return run === undefined ? facts : [...facts, ...runOutput(view, id)];
}

/** All but its output. */
export function runFacts(
  view: View,
  id: string,
  evidence: EvidenceText = () => [],
): readonly string[] {
  const { model, theme, width } = view;
  const run = runOf(view, id);
  if (run === undefined) return [theme.paint("dim", "This run is not kept any more.")];
  return [
    `${theme.paint("bold", oneLine(run.subject))}  ${stateText(theme, run.state)}  ${oneLine(run.id)}`,
    "",
    ...pairs(factsOf(run, model.now, width), (text) => theme.paint("dim", text)),
    "",
    ...(isRecord(run) ? evidence(run, theme) : []),
  ];
}

/** Its output, below a line that says how much there is. The end of it, where it is not opened and has no room. */
export function runOutput(view: View, id: string): readonly string[] {
  const { model, theme, width, state, height } = view;
  const run = runOf({ model }, id);
  if (run === undefined) return [];
  const lines = outputLines(isRecord(run) ? run : undefined, isOver(run), width, theme);
  const [head = "", ...output] = lines;
  return state.open === undefined ? [head, ...output.slice(-height)] : lines;
}

const runOf = ({ model }: Pick<View, "model">, id: string): RunRecord | RunSummary | undefined =>
  model.run?.id === id ? model.run : model.runs.find((each) => each.id === id);

const isRecord = (run: RunRecord | RunSummary): run is RunRecord => "text" in run.output;

type Pair = readonly [name: string, value: string | undefined];

function factsOf(run: RunSummary, now: number, width: number): readonly Pair[] {
  const { reason, trigger, generation, queuedAt, startedAt } = run;
  return [
    ["reason", reason && oneLine(reason)],
    ["request", trigger && oneLine(trigger)],
    ["generation", String(generation)],
    [
      "queued",
      startedAt === undefined ? when(queuedAt, now) : `for ${duration(startedAt - queuedAt)}`,
    ],
    ["started", startedAt === undefined ? undefined : when(startedAt, now)],
    ["took", tookText(run, now)],
    ["exit", exitText(run)],
    ...detailOf(run.detail, width),
  ];
}

/** What the plugin keeps beside it. Objects in it are a tree: one line a leaf. */
function detailOf(detail: unknown, width: number): readonly Pair[] {
  if (detail === undefined || detail === null) return [];
  if (typeof detail !== "object" || Array.isArray(detail)) return [["detail", leaf(detail, width)]];
  return Object.entries(detail).flatMap(([name, value]): readonly Pair[] => {
    const isTree = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isTree) return [[oneLine(name), leaf(value, width)]];
    return Object.entries(value as object).map(([inner, each], index): Pair => {
      const branch = index === 0 ? oneLine(name) : " ".repeat(oneLine(name).length);
      return [`${branch} · ${oneLine(inner)}`, leaf(each, width)];
    });
  });
}

const leaf = (value: unknown, width: number): string =>
  oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, width * 2);

function outputLines(
  record: RunRecord | undefined,
  over: boolean,
  width: number,
  theme: Theme,
): readonly string[] {
  if (record === undefined) return [theme.paint("dim", "asking for its output")];
  const { text, bytes, omitted } = record.output;
  const lost = omitted === 0 ? "" : `, ${size(omitted)} of it not kept`;
  const more = over ? "" : ", more may come";
  const head = theme.paint(
    "dim",
    bytes === 0 ? `no output${more}` : `output (${size(bytes)}${lost}${more})`,
  );
  return [head, ...wrapped(manyLines(text).trimEnd(), width)];
}
