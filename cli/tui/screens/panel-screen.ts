/** A screen for the panels of one plugin. */

import type { Screen, ScreenId, View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import { absolute } from "../../print/units.js";
import { pairs } from "../view/lines.js";
import { lineList, tableList } from "../view/list.js";
import { panelLines } from "../view/panels.js";
import { stateText } from "../view/theme.js";
import { runListColumns, runParts, runText } from "./columns.js";
import { eventEntries, paintedEntry } from "./events.js";
import { runDetail } from "./run-detail.js";

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
    ...(runs && { detail: runDetail, opensRuns: true }),
    top: () => [],
    listTitle: (view) => (isRuns(view) ? "Runs" : about.title),
    list: (view) => {
      if (!isRuns(view)) return lineList(linesOf(view, plugin), view.state);
      const { model, theme, state } = view;
      const rows = model.runs.filter((run) => run.kind === kind);
      const columns = runListColumns(theme, model.now, rows);
      return tableList(
        { rows, columns, id: ({ id }) => id, text: runText, parts: runParts, theme },
        state,
      );
    },
    empty: (view) =>
      runs && isRuns(view) ? runs.none : `The ${plugin} plugin does not run. ${how}`,
    // Lines of a panel are read, not opened.
    enter: (view) => (isRuns(view) ? undefined : {}),
  };
}

/** Its state, its panels, what it did last. */
function linesOf({ model, theme, width }: View, plugin: string): readonly string[] {
  const status = model.status?.plugins.find(({ id }) => id === plugin);
  if (status === undefined || status.state === "discovered") return [];
  const dim = (text: string) => theme.paint("dim", text);
  const own = model.panels.find((each) => each.plugin === plugin)?.panels ?? [];
  const events = eventEntries(model.events).filter(({ from }) => from === plugin);
  return [
    ...pairs(
      [
        ["state", `${stateText(theme, status.state)}, ${status.health.state}`],
        ["reason", status.health.reason && oneLine(status.health.reason)],
      ],
      dim,
      "",
    ),
    "",
    ...own.flatMap((panel) => panelLines(panel, { width, theme, now: model.now })),
    ...(events.length === 0 ? [] : [theme.paint("bold", "Last events")]),
    ...events
      .slice(0, EVENTS)
      .map((entry) => `  ${dim(absolute(entry.at, model.now))} ${paintedEntry(entry, theme)}`),
  ];
}
