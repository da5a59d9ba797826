/** A screen of the dashboard as data for the page: the same model and the same functions as on a terminal. */
import type { Screen, ScreenState, Screens, View } from "../plugin-api/screen.js";
import { stateWord } from "../print/layout.js";
import { stateLook } from "../print/states.js";
import { oneLine } from "../print/text.js";
import { absolute } from "../print/units.js";
import { ACTIVITY_SPAN, activities, runsPerMinute } from "../tui/model/activity.js";
import type { Model } from "../tui/model/model.js";
import { screenOf, viewOf } from "../tui/screens/all.js";
import { rateText, SERIES_ROLES, seriesOf, shortNumber } from "../tui/screens/overview/charts.js";
import { failed, nameOf, next, running, verdict } from "../tui/screens/overview/panels.js";
import { scaleTop } from "../tui/view/charts.js";
import type { Card, ChartData, PageData, TableData, TimelineRow } from "./page/wire.js";
import { columnsOf, spansOf, spanTheme } from "./spans.js";

/** What the address of the page says. */
export interface PageQuery {
  readonly screen: string;
  readonly state: ScreenState;
  /** Of the list, counted from 0. */
  readonly page: number;
}

/** Wide enough that nothing is cut; the browser breaks lines. */
const WIDTH = 120;
const HEIGHT = 40;
/** Rows that are sent at once. */
const PAGE_ROWS = 200;
const CARD_LINES = 8;
/** What a terminal draws with dots, the page draws from the series. */
const DRAWN = /[\u2800-\u28ff]/;

export function queryOf(address: URL): PageQuery {
  const { searchParams } = address;
  const number = (name: string): number | undefined => {
    const text = searchParams.get(name);
    return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  };
  const sort = number("sort");
  const open = searchParams.get("open");
  return {
    screen: searchParams.get("screen") ?? "overview",
    page: number("page") ?? 0,
    state: {
      filter: (searchParams.get("filter") ?? "").slice(0, 200),
      reverse: searchParams.has("reverse"),
      raw: searchParams.has("raw"),
      index: 0,
      tab: number("tab") ?? 0,
      scroll: 0,
      ...(sort !== undefined && { sort }),
      ...(open !== null && { open, selected: open }),
    },
  };
}

/** What the query shows, after a row was opened. */
export function pageView(
  model: Model,
  screens: Screens,
  query: PageQuery,
): { readonly screen: Screen; readonly view: View } {
  const screen = screenOf(screens, query.screen);
  const { tabs = [] } = screen;
  const requested = {
    ...query.state,
    tab: Math.min(query.state.tab, Math.max(0, tabs.length - 1)),
  };
  const seen = (state: ScreenState): View =>
    viewOf({ model, width: WIDTH, height: HEIGHT, theme: spanTheme }, screen, state);
  // Opening a row of some screens goes to another of their lists.
  const entered =
    requested.open === undefined ? undefined : screen.enter?.(seen(requested), requested.open);
  return { screen, view: seen(entered ? closed({ ...requested, ...entered }) : requested) };
}

export function pageData(
  model: Model,
  screens: Screens,
  query: PageQuery,
): Omit<PageData, "view" | "actions"> {
  const { screen, view } = pageView(model, screens, query);
  const { state } = view;
  const { tabs = [] } = screen;
  const isOverview = screen.id === "overview";
  const { open } = state;
  return {
    screens: screens.map(({ id, title, about }) => ({ id, title, about })),
    screen: screen.id,
    tabs,
    tab: state.tab,
    ...(model.link.state === "lost" && { lost: model.link.reason }),
    host: model.status?.root ?? "",
    cards: isOverview ? cards(view) : [],
    timeline: isOverview ? timeline(model) : [],
    charts: charts(view, screen),
    top: isOverview ? [] : topLines(view, screen),
    table: tableOf(view, screen, query.page),
    ...(open !== undefined &&
      screen.detail && {
        detail: { id: open, lines: screen.detail(view, open).map(spansOf) },
      }),
  };
}

const closed = ({ open: _, ...state }: ScreenState): ScreenState => state;

function cards(view: View): readonly Card[] {
  const room = { width: WIDTH, height: CARD_LINES };
  return [verdict, running, failed, next].map((panel) => {
    const { title, fact = "", lines } = panel(view, room);
    return { title, fact: spansOf(fact), lines: lines.map(columnsOf) };
  });
}

function timeline({ runs, now }: Model): readonly TimelineRow[] {
  return activities(runs, now, 60).map(({ subject, runs: count, cells }) => ({
    name: nameOf({ subject }),
    runs: count,
    cells: cells.map(({ runs: own, worst }) => ({
      runs: own,
      ...(worst && { role: stateLook(worst).role, word: stateWord(worst) }),
    })),
  }));
}

function charts(view: View, screen: Screen): readonly ChartData[] {
  const { model } = view;
  const own = screen.plugin ?? screen.id;
  const isOverview = screen.id === "overview";
  const panels = isOverview ? model.panels : model.panels.filter(({ plugin }) => plugin === own);
  const ofPanels = seriesOf({ ...view, model: { ...model, panels } }).map((panel) => {
    const length = Math.max(0, ...panel.series.map(({ points }) => points.length));
    const series = panel.series.slice(0, SERIES_ROLES.length).map(({ name, points }, index) => ({
      ...{ name: oneLine(name), points, role: SERIES_ROLES[index] ?? "s2" },
    }));
    return chart(oneLine(panel.title), "", model.now, length * panel.interval, series);
  });
  return isOverview ? [...ofDaemon(model), ...ofPanels] : ofPanels;
}

function ofDaemon({ runs, now, rates }: Model): readonly ChartData[] {
  const { all } = rates;
  const events = chart("Events a second", rateText(all), now, all.length * 1000, [
    { name: "events", role: "s1", points: all },
  ]);
  const points = runsPerMinute(activities(runs, now, 60));
  const started = chart("Runs a minute", "", now, ACTIVITY_SPAN, [
    { name: "runs", role: "s2", points },
  ]);
  return points.length === 0 ? [events] : [events, started];
}

/** With the scale of the terminal. `span`: milliseconds from the first point until now. */
function chart(
  title: string,
  fact: string,
  now: number,
  span: number,
  series: ChartData["series"],
): ChartData {
  const top = scaleTop(Math.max(0, ...series.flatMap(({ points }) => points)));
  const at = (age: number) => absolute(now - age, now).slice(-8, span < 600_000 ? undefined : -3);
  return {
    ...{ title, fact, top, series },
    scale: [0, top / 2, top].map(shortNumber),
    times: [at(span), at(span / 2), at(0)],
  };
}

const topLines = (view: View, screen: Screen): PageData["top"] =>
  screen
    .top(view)
    .filter((line) => !DRAWN.test(line))
    .map(columnsOf);

/** Whether the page that is open needs runs that the daemon has not been asked for. */
export function needsOlder(model: Model, screens: Screens, query: PageQuery): boolean {
  if (!model.moreRuns || query.page === 0) return false;
  const { screen, view } = pageView(model, screens, query);
  return screen.opensRuns === true && screen.list(view).size <= (query.page + 1) * PAGE_ROWS;
}

function tableOf(view: View, screen: Screen, page: number): TableData {
  const list = screen.list(view);
  const last = Math.max(0, Math.ceil(list.size / PAGE_ROWS) - 1);
  const from = Math.min(page, last) * PAGE_ROWS;
  const { columns, rows } = list.cells?.(from, PAGE_ROWS) ?? {
    columns: [],
    rows: list.lay(from, PAGE_ROWS, WIDTH).rows.map((line, index) => ({
      id: list.idAt(from + index) ?? String(from + index),
      cells: [line],
    })),
  };
  return {
    title: screen.listTitle(view),
    size: list.size,
    total: list.total,
    empty: screen.empty(view),
    from,
    // A full page of runs may be followed by older ones.
    more:
      from + PAGE_ROWS < list.size ||
      (rows.length === PAGE_ROWS && screen.opensRuns === true && view.model.moreRuns),
    columns,
    rows: rows.map(({ id, cells }) => ({ id, cells: cells.map(spansOf) })),
  };
}
