/** Everything at a glance: whether all is well, what runs, failed and comes next, the last hour, what happened last. */
import type { Screen, View } from "../../plugin-api/screen.js";
import { type BoxContent, beside, boxed } from "../view/boxes.js";
import { ends, fit } from "../view/lines.js";
import { tableList } from "../view/list.js";
import { entryDetail } from "./entry-detail.js";
import { briefEntries, entryColumns, entryName, entryText } from "./events.js";
import { eventsChart, runsChart, seriesChart, seriesOf, timelines } from "./overview/charts.js";
import { failed, next, type Room, running, verdict } from "./overview/panels.js";
import { pluginsPanel } from "./overview/plugins.js";

/** Lines of the list of events. */
const LEAST = 5;
/** Columns from which on panels have edges, there are charts, and events are beside everything else. */
const BOXED = 100;
const CHARTED = 140;
const THREE = 200;

export const overview: Screen = {
  id: "overview",
  title: "Overview",
  short: "All",
  about: "whether all is well, what runs, what failed, what comes next, and what happened last",
  least: LEAST,
  top: (view) => (view.width >= BOXED ? boxedTop(view) : plainTop(view)),
  text,
  side: sideColumns,
  listTitle: () => "Last events",
  list: ({ model, theme, state }) =>
    tableList(
      {
        rows: briefEntries(model.events),
        columns: entryColumns(theme, model.now, state.raw),
        id: ({ id }) => id,
        name: entryName,
        text: entryText,
        theme,
      },
      state,
    ),
  empty: () => "Nothing has happened yet.",
  preview: entryDetail,
  detail: entryDetail,
};

type PanelOf = (view: View, room: Room) => BoxContent;

/** Side by side, over the whole width, all as high as wanted. */
function row(view: View, panels: readonly PanelOf[], lines: number): readonly string[] {
  const base = Math.floor(view.width / panels.length);
  return panels
    .map((panel, index) => {
      const width = index === panels.length - 1 ? view.width - base * index : base;
      return boxOf(view, panel, { width, height: lines + 2 });
    })
    .reduce(beside);
}

function boxOf(view: View, panel: PanelOf, { width, height }: Room): readonly string[] {
  const { lines, ...content } = panel(view, { width: width - 4, height: height - 2 });
  const inset = lines.map((line) => ` ${line}`);
  return boxed({ ...content, lines: inset }, { width, height }, view.theme);
}

/** Below each other: the verdict, three panels, the last hour and charts. What there is no room for is left out, from the end. */
function boxedTop(view: View): readonly string[] {
  const room = view.height - LEAST - 3;
  const judged = boxOf(view, verdict, { width: view.width, height: verdictLines(view, 4) + 2 });
  const upper = room - judged.length;
  const needed = Math.max(
    2,
    ...[running, failed, next].map(
      (panel) => panel(view, { width: view.width, height: 4 }).lines.length,
    ),
  );
  const now = upper >= 16 ? needed : upper >= 5 ? Math.min(3, needed) : 0;
  const middle =
    now === 0 ? [] : row(view, view.width >= 120 ? [running, failed, next] : [running, next], now);
  const left = upper - middle.length;
  const wanted = Math.min(10, Math.max(3, blockCount(view) + 1));
  const lower =
    left < 8 ? 0 : Math.min(left - 4, view.width >= CHARTED ? Math.max(6, wanted) : wanted);
  return [...judged, ...middle, ...(lower < 3 ? [] : lastHour(view, lower))];
}

function lastHour(view: View, lines: number): readonly string[] {
  if (view.width < CHARTED) return row(view, [timelines], lines);
  const left = 84;
  const hour = boxOf(view, timelines, { width: left, height: lines + 2 });
  const size = { width: view.width - left, height: lines + 2 };
  return beside(hour, boxOf(view, eventsChart, size));
}

const blockCount = ({ model }: View): number =>
  new Set(model.runs.map(({ subject }) => subject)).size;

/** Lines of the verdict: one an alert, `most` at most. */
function verdictLines(view: View, most: number): number {
  return verdict(view, { width: view.width - 4, height: most }).lines.length;
}

/** Without edges: titles and lines. */
function plainTop(view: View): readonly string[] {
  const { width, height } = view;
  const isNarrow = width < 70;
  const judged = verdict(view, { width, height: 3 }).lines;
  let room = height - LEAST - judged.length;
  const now = isNarrow ? 2 : 3;
  const halves = isNarrow
    ? titled(view, running, { width, height: now })
    : sideBySide(view, running, next, now);
  const middle = room > halves.length ? halves : [];
  room -= middle.length;
  const hour = Math.min(5, room - 4, blockCount(view));
  return [
    ...judged,
    ...middle,
    ...(hour >= 1 && !isNarrow ? titled(view, timelines, { width, height: hour }) : []),
  ];
}

/** For a page without an end: everything. */
function text(view: View): readonly string[] {
  const room = { width: view.width, height: ALL };
  const parts: readonly PanelOf[] = [running, failed, next, timelines, pluginsPanel];
  return [
    ...verdict(view, room).lines,
    ...parts.flatMap((panel) => ["", ...titled(view, panel, room)]),
  ];
}

/** Rows of a part of a page at most. */
const ALL = 50;

function titled(view: View, panel: PanelOf, room: Room): readonly string[] {
  const { title, fact = "", lines } = panel(view, room);
  const { paint } = view.theme;
  const shown = lines.slice(0, room.height).map((line) => fit(line, room.width));
  return [ends(paint("bold", title), paint("dim", fact), room.width), ...shown];
}

/** Both as high as the higher one. */
function sideBySide(view: View, left: PanelOf, right: PanelOf, height: number): readonly string[] {
  const width = Math.floor((view.width - 2) / 2);
  const [a, b] = [left, right].map((panel) => titled(view, panel, { width, height }));
  return Array.from(
    { length: Math.max(a?.length ?? 0, b?.length ?? 0) },
    (_, index) => `${fit(a?.[index] ?? "", width)}  ${b?.[index] ?? ""}`,
  );
}

/** Two columns beside the events, where there is room for three. */
function sideColumns(view: View): readonly string[] | undefined {
  if (view.width < THREE) return undefined;
  const { height } = view;
  const total = Math.floor(view.width * 0.7);
  const left = { ...view, width: Math.floor(total * 0.46) };
  const right = { ...view, width: total - left.width };
  return beside(leftColumn(left, height), rightColumn(right, height));
}

function leftColumn(view: View, height: number): readonly string[] {
  const { width } = view;
  const judged = boxOf(view, verdict, { width, height: verdictLines(view, 4) + 2 });
  const plugins = pluginsPanel(view, { width: width - 4, height }).lines.length + 2;
  const left = height - judged.length - plugins;
  const each = Math.max(3, Math.floor(left / 3));
  const three = [running, failed, next].flatMap((panel) =>
    boxOf(view, panel, { width, height: each }),
  );
  const rest = height - judged.length - three.length;
  const last = rest < 3 ? [] : boxOf(view, pluginsPanel, { width, height: rest });
  return [...judged, ...three, ...last];
}

function rightColumn(view: View, height: number): readonly string[] {
  const series = seriesOf(view).map(
    (panel): PanelOf =>
      (own, room) =>
        seriesChart(panel, own, room),
  );
  const charts = [eventsChart, runsChart, ...series].slice(0, height >= 40 ? 4 : 2);
  const hour = Math.min(blockCount(view) + 1, Math.floor(height / 3));
  const used = Math.max(4, hour) + 2;
  const chart = Math.floor((height - used) / charts.length);
  return [
    ...boxOf(view, timelines, { width: view.width, height: used }),
    ...charts.flatMap((panel, index) => {
      const lines = index === charts.length - 1 ? height - used - chart * index : chart;
      return boxOf(view, panel, { width: view.width, height: lines });
    }),
  ];
}
