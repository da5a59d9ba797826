/** The dashboard screen: hooks, schedules, watches and tasks with their numbers, runs with request and output. */
import {
  bar,
  isOver,
  type ListColumn,
  type Model,
  oneLine,
  type PanelRow,
  type PanelTable,
  panelColumns,
  plainTheme,
  type RunRecord,
  type RunSummary,
  runDetail,
  runFacts,
  runListColumns,
  runName,
  runOutput,
  runParts,
  runText,
  type Screen,
  type ScreenList,
  type Theme,
  table,
  tableList,
  tablePanel,
  type View,
} from "reeve/cli";
import type { RunTrigger, TriggerOutcome } from "../evidence/api.js";
import { curlCommand } from "./curl.js";
import { evidenceLines, explainedLines, isAccepted } from "./text.js";

const RUNS = 1;
const TABS = ["Hooks", "Runs", "Schedules", "Watches", "Tasks"] as const;
/** The kind of the blocks of a tab, and its panel. */
const TABLES = [
  { kind: "hook", panel: "hooks" },
  { kind: "hook", panel: "hooks" },
  { kind: "schedule", panel: "schedules" },
  { kind: "watch", panel: "watches" },
  { kind: "task", panel: "tasks" },
] as const;
const tableOf = ({ tab }: { readonly tab: number }) => TABLES[tab] ?? TABLES[0];

export const hooks: Screen = {
  id: "hooks",
  title: "Hooks",
  short: "Hook",
  about: "how each hook, schedule, watch and task does; their runs with requests and output",
  tabs: TABS,
  keys: [
    {
      keys: ["r"],
      action: "replay",
      does: "replay the request of the chosen run, or of the hook's latest run",
      changes: true,
      hint: "replay",
    },
    { keys: ["x"], action: "cancel", does: "cancel the chosen run", changes: true, hint: "cancel" },
  ],
  opensRuns: true,
  top: () => [],
  listTitle: ({ state }) => TABS[state.tab] ?? TABS[0],
  list: (view) => (view.state.tab === RUNS ? runList(view) : blockList(view)),
  empty: ({ state, model }) => {
    if (state.tab === RUNS) return "No hook has run. Call one, and it appears here.";
    const isThere = model.status?.plugins.some(({ id }) => id === "hooks");
    const { kind } = tableOf(state);
    return isThere
      ? `There is no ${kind}. Add a \`${kind}\` block.`
      : `The hooks plugin does not run. Add a \`${kind}\` block.`;
  },
  preview: (view, id) =>
    view.state.tab === RUNS ? runFacts(view, id, evidenceOf) : latestRuns(view, id),
  further: (view, id) => {
    const run = runIdOf(view, id);
    if (run === undefined) return [];
    return view.state.tab === RUNS ? runOutput(view, run) : runDetail(view, run, evidenceOf);
  },
  run: runIdOf,
  copy: ({ model, state }, id) => {
    const isRun = state.tab === RUNS || state.open !== undefined;
    const record = isRun && model.run?.id === id ? model.run : undefined;
    return record && curlCommand(record, model.status?.listeners ?? []);
  },
  detail: (view, id) => runDetail(view, id, evidenceOf),
  propose: ({ model, state }, id, action) => {
    const isRun = state.tab === RUNS || state.open !== undefined;
    const run = isRun
      ? model.runs.find((each) => each.id === id)
      : ownRuns(model).find((each) => isOf(each, state, id));
    if (id === undefined) return undefined;
    if (!run) return `No run of this ${tableOf(state).kind} is kept.`;
    const effect = { kind: "screen", action, target: run.id } as const;
    if (action === "replay") {
      return { question: `Replay the request of run ${run.id} of ${run.subject}?`, effect };
    }
    if (isOver(run)) return "This run has finished.";
    const question = `Cancel run ${run.id} of ${run.subject} and all its processes?`;
    return { question, effect };
  },
  async perform(control, action, run) {
    if (action === "cancel") {
      await control.post("/cancel", { run });
      return { kind: "notice", text: `The run ${run} is cancelled.`, bad: false };
    }
    const outcome = await control.post<TriggerOutcome>("/replay", { run });
    if (isAccepted(outcome)) {
      return { kind: "notice", text: `Started the run ${outcome.run}.`, bad: false };
    }
    const text = explainedLines(outcome, plainTheme).join("\n");
    return { kind: "page", title: "The hook refuses this request now.", text };
  },
  block: ({ model, state }, id) =>
    state.tab === RUNS || state.open !== undefined
      ? model.runs.find((run) => run.id === id)?.subject
      : subjectOf(model, state, id),
  enter: ({ model, state }, id) =>
    state.tab === RUNS ? undefined : { tab: RUNS, filter: subjectOf(model, state, id), index: 0 },
};

/** The run itself, or the latest one of the block. */
function runIdOf({ state, model }: View, id: string): string | undefined {
  if (state.tab === RUNS || state.open !== undefined) return id;
  return ownRuns(model).find((each) => isOf(each, state, id))?.id;
}

/** What the hook recorded of the request. */
function evidenceOf({ request }: RunRecord, theme: Theme): readonly string[] {
  const trigger = request as RunTrigger | undefined;
  return trigger?.decision === undefined ? [] : [...evidenceLines(trigger, theme), ""];
}

/** The name of a block, or of a hook of a file, in its key. */
const nameOf = (subject: string): string =>
  subject
    .replace(/^(hook|schedule|watch|task)\.|^hooks_file\.[^/]*\//, "")
    .replace(/^(?:hook|schedule|watch|task)\["(.*)"\]$/, "$1");

const isOf = (
  { kind, subject }: RunSummary,
  state: { readonly tab: number },
  name: string | undefined,
): boolean => kind === tableOf(state).kind && nameOf(subject) === name;

const subjectOf = (model: Model, state: { readonly tab: number }, name: string): string =>
  ownRuns(model).find((run) => isOf(run, state, name))?.subject ?? `${tableOf(state).kind}.${name}`;

const KINDS: ReadonlySet<string> = new Set(TABLES.map(({ kind }) => kind));
const ofKind = new WeakMap<readonly RunSummary[], readonly RunSummary[]>();

function ownRuns({ runs }: Model): readonly RunSummary[] {
  let own = ofKind.get(runs);
  if (own === undefined) {
    own = runs.every(({ kind }) => KINDS.has(kind))
      ? runs
      : runs.filter(({ kind }) => KINDS.has(kind));
    ofKind.set(runs, own);
  }
  return own;
}

function runList({ model, theme, state }: View): ScreenList {
  const rows = ownRuns(model);
  const columns = runListColumns(theme, model.now, rows);
  return tableList(
    { rows, columns, id: ({ id }) => id, name: runName, text: runText, parts: runParts, theme },
    state,
  );
}

function blockList({ model, theme, state }: View): ScreenList {
  const panel = tablePanel(model, "hooks", tableOf(state).panel);
  const rows = panel?.rows ?? NONE;
  const columns = panel ? columnsOf(panel, theme, model.now) : [];
  const id = (row: PanelRow) => String(Object.values(row)[0]);
  return tableList(
    { rows, columns, id, text: (row) => Object.values(row).join(" "), theme },
    state,
  );
}

/** The latest runs of the chosen block. */
function latestRuns({ model, theme, state, width, height }: View, id: string): readonly string[] {
  const own: RunSummary[] = [];
  for (const run of ownRuns(model)) {
    if (isOf(run, state, id)) own.push(run);
    if (own.length === height) break;
  }
  const title = theme.paint("bold", `Latest runs of ${oneLine(id)}`);
  if (own.length === 0) return [title, theme.paint("dim", "  It has not run yet.")];
  const columns = runListColumns(theme, model.now, own).filter(({ title }) => title !== "WHAT");
  const heading = (text: string) => theme.paint("dim", text);
  const lines = table(columns, own, { width: width - 2, heading });
  return [title, ...lines.map((line) => `  ${line}`)];
}

const NONE: readonly PanelRow[] = [];
const SHARE = 8;

/** What the plugin shows, and how many of the calls it let through. */
function columnsOf(
  panel: PanelTable,
  theme: Theme,
  now: number,
): ReadonlyArray<ListColumn<PanelRow>> {
  const own = panelColumns(panel, theme, now);
  const allowed: ListColumn<PanelRow> = {
    title: "ALLOWED",
    cell: (row) => allowedText(Number(row.calls ?? 0), Number(row.rejected ?? 0)),
    priority: 4,
  };
  return panel.columns.some(({ id }) => id === "rejected") ? [...own, allowed] : own;
}

function allowedText(calls: number, rejected: number): string {
  const all = calls + rejected;
  return all === 0 ? "" : `${bar(calls / all, SHARE)} ${Math.round((calls / all) * 100)} %`;
}
