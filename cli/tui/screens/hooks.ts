/** Hooks: how each does, what ran, and one run with its request and its output. */
import type { RunSummary } from "../../../daemon/http/control/api.js";
import { isOver } from "../../print/runs.js";
import { table } from "../../print/table.js";
import { oneLine } from "../../print/text.js";
import type { Model } from "../model/model.js";
import { bar } from "../view/charts.js";
import { type ListColumn, type ScreenList, tableList } from "../view/list.js";
import type { Theme } from "../view/theme.js";
import { runListColumns, runParts, runText } from "./columns.js";
import { type PanelRow, type PanelTable, panelColumns, tablePanel } from "./panel-table.js";
import { runDetail } from "./run-detail.js";
import type { Screen, View } from "./screen.js";

const RUNS = 1;

export const hooks: Screen = {
  id: "hooks",
  title: "Hooks",
  short: "Hook",
  about: "how each hook does; its runs with their requests and output",
  tabs: ["Hooks", "Runs"],
  top: () => [],
  listTitle: ({ state }) => (state.tab === RUNS ? "Runs" : "Hooks"),
  list: (view) => (view.state.tab === RUNS ? runList(view) : hookList(view)),
  empty: ({ state, model }) => {
    if (state.tab === RUNS) return "No hook has run. Call one, and it appears here.";
    const isThere = model.status?.plugins.some(({ id }) => id === "hooks");
    return isThere
      ? "There is no hook. Add a `hook` block."
      : "The hooks plugin does not run. Add a `hook` block.";
  },
  preview: hookPreview,
  detail: runDetail,
  propose: ({ model, state }, id, action) => {
    if (action !== "replay" && action !== "cancel") return undefined;
    const isRun = state.tab === RUNS || state.open !== undefined;
    const run = isRun
      ? model.runs.find((each) => each.id === id)
      : hookRuns(model).find(({ subject }) => hookOf(subject) === id);
    if (!run) return "There is no run of it that is still kept.";
    const { id: which, subject } = run;
    if (action === "replay") {
      const question = `Send the request of ${subject}'s run ${which} once more?`;
      return { question, effect: { kind: "replay", run: which } };
    }
    if (isOver(run)) return "This run is over.";
    const question = `End the run ${which} of ${subject}, with everything it started?`;
    return { question, effect: { kind: "cancel", run: which } };
  },
  enter: ({ model, state }, id) =>
    state.tab === RUNS ? undefined : { tab: RUNS, filter: subjectOf(model, id), index: 0 },
};

/** The name of a hook, of the language or of a file, in the key of its block. */
const hookOf = (subject: string): string =>
  subject.replace(/^hook\.|^hooks_file\.[^/]*\//, "").replace(/^hook\["(.*)"\]$/, "$1");

const subjectOf = (model: Model, name: string): string =>
  hookRuns(model).find(({ subject }) => hookOf(subject) === name)?.subject ?? `hook.${name}`;

const ofKind = new WeakMap<readonly RunSummary[], readonly RunSummary[]>();

function hookRuns({ runs }: Model): readonly RunSummary[] {
  let own = ofKind.get(runs);
  if (own === undefined) {
    own = runs.every(({ kind }) => kind === "hook")
      ? runs
      : runs.filter(({ kind }) => kind === "hook");
    ofKind.set(runs, own);
  }
  return own;
}

function runList({ model, theme, state }: View): ScreenList {
  const rows = hookRuns(model);
  const columns = runListColumns(theme, model.now, rows);
  return tableList(
    { rows, columns, id: ({ id }) => id, text: runText, parts: runParts, theme },
    state,
  );
}

function hookList({ model, theme, state }: View): ScreenList {
  const panel = tablePanel(model, "hooks");
  const rows = panel?.rows ?? NONE;
  const columns = panel ? columnsOf(panel, theme, model.now) : [];
  const id = (row: PanelRow) => String(row.hook ?? Object.values(row)[0]);
  return tableList(
    { rows, columns, id, text: (row) => Object.values(row).join(" "), theme },
    state,
  );
}

/** The latest runs of the chosen hook. */
function hookPreview({ model, theme, state, width, height }: View, id: string): readonly string[] {
  if (state.tab === RUNS) return [];
  const own: RunSummary[] = [];
  for (const run of hookRuns(model)) {
    if (hookOf(run.subject) === id) own.push(run);
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
