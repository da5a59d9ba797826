/** A screen for the panels of one plugin. */

import type { Screen, ScreenId, View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import { absolute } from "../../print/units.js";
import { boxed } from "../view/boxes.js";
import { BESIDE, THREE } from "../view/columns.js";
import { pairs } from "../view/lines.js";
import { lineList, tableList } from "../view/list.js";
import { panelLines } from "../view/panels.js";
import { stateText } from "../view/theme.js";
import { runListColumns, runName, runParts, runText } from "./columns.js";
import { eventEntries, paintedEntry } from "./events.js";
import { runDetail, runFacts, runOutput } from "./run-detail.js";

export interface PanelScreen {
  readonly id: ScreenId;
  readonly title: string;
  readonly short: string;
  readonly about: string;
  /** The plugin's id. */
  readonly plugin: string;
  /** What kind its runs are of. Absent: it has none. */
  readonly kind?: string;
  /** Which of its lists are its runs, and what is said where there are none. */
  readonly runs?: { readonly tab: number; readonly none: string };
  /** What to write to have it, after `The … plugin does not run. `. */
  readonly how: string;
}

/** Newest events of the plugin below its panels. */
const EVENTS = 50;

export function panelScreen(about: PanelScreen): Screen {
  const { plugin, kind, runs, how } = about;
  const isRuns = ({ state }: View) => state.tab === runs?.tab;
  return {
    ...about,
    ...(runs && {
      detail: runDetail,
      opensRuns: true,
      run: (view, id) => (isRuns(view) ? id : undefined),
      preview: (view, id) => (isRuns(view) ? runFacts(view, id) : []),
    }),
    // Beside what is chosen, the plugin as a whole.
    further: (view, id) =>
      isRuns(view) ? runOutput(view, id) : [about.title, ...linesOf(view, plugin)],
    top: () => [],
    listTitle: (view) => (isRuns(view) ? "Runs" : about.title),
    list: (view) => {
      if (!isRuns(view)) return lineList(wallOf(view, plugin), view.state);
      const { model, theme, state } = view;
      const rows = model.runs.filter((run) => run.kind === kind);
      const columns = runListColumns(theme, model.now, rows);
      return tableList(
        { rows, columns, id: ({ id }) => id, name: runName, text: runText, parts: runParts, theme },
        state,
      );
    },
    empty: (view) =>
      runs && isRuns(view) ? runs.none : `The ${plugin} plugin does not run. ${how}`,
    // Lines of a panel are read, not opened.
    enter: (view) => (isRuns(view) ? undefined : {}),
  };
}

/** Its state, its panels, what it did last, below each other. */
function linesOf(view: View, plugin: string): readonly string[] {
  const [state, ...parts] = partsOf(view, plugin);
  if (state === undefined) return [];
  const titled = parts.flatMap(({ title, lines }) => [
    "",
    view.theme.paint("bold", title),
    ...lines(view.width),
  ]);
  return [...state.lines(view.width), ...titled];
}

/** The same in columns, where there is room for more than one. A filter looks at lines, so that these are whole. */
function wallOf(view: View, plugin: string): readonly string[] {
  const { width, theme, state } = view;
  if (width < BESIDE || state.filter !== "") return linesOf(view, plugin);
  const count = width >= THREE ? 3 : 2;
  const each = Math.floor(width / count);
  const columns = Array.from({ length: count }, (): string[] => []);
  for (const { title, lines } of partsOf(view, plugin)) {
    const shortest = columns.reduce((a, b) => (b.length < a.length ? b : a));
    const content = lines(each - 3);
    const size = { width: each, height: content.length + 2 };
    shortest.push(...boxed({ title, lines: content }, size, theme));
  }
  const height = Math.max(0, ...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    columns.map((column) => column[line] ?? " ".repeat(each)).join(""),
  );
}

interface Part {
  readonly title: string;
  readonly lines: (width: number) => readonly string[];
}

function partsOf({ model, theme }: View, plugin: string): readonly Part[] {
  const status = model.status?.plugins.find(({ id }) => id === plugin);
  if (status === undefined || status.state === "discovered") return [];
  const dim = (text: string) => theme.paint("dim", text);
  const own = model.panels.find((each) => each.plugin === plugin)?.panels ?? [];
  const state = pairs(
    [
      ["state", `${stateText(theme, status.state)}, ${status.health.state}`],
      ["reason", status.health.reason && oneLine(status.health.reason)],
    ],
    dim,
    "",
  );
  const events = eventEntries(model.events)
    .filter(({ from }) => from === plugin)
    .slice(0, EVENTS)
    .map((entry) => `  ${dim(absolute(entry.at, model.now))} ${paintedEntry(entry, theme)}`);
  return [
    { title: "State", lines: () => state },
    ...own.map((panel): Part => {
      const lines = (width: number) =>
        panelLines(panel, { width, theme, now: model.now }).slice(1, -1);
      return { title: oneLine(panel.title), lines };
    }),
    ...(events.length === 0 ? [] : [{ title: "Last events", lines: () => events }]),
  ];
}
