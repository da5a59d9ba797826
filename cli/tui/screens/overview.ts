/** Everything at a glance: alerts, the daemon, a card a plugin, what happened last. */
import type { PluginStatus } from "../../../daemon/http/control/api.js";
import type { Screen, View } from "../../plugin-api/screen.js";
import { summaryText } from "../../print/generation.js";
import { stateStyle } from "../../print/layout.js";
import { table } from "../../print/table.js";
import { oneLine } from "../../print/text.js";
import { countText, duration, relative, size } from "../../print/units.js";
import type { Model } from "../model/model.js";
import { sparkline } from "../view/charts.js";
import { pairs } from "../view/lines.js";
import { type ListColumn, tableList } from "../view/list.js";
import { plainTheme, stateText, type Theme } from "../view/theme.js";
import { alertsOf } from "./alerts.js";
import { LEAST as LEAST_OF, PROCESS_COLUMNS } from "./columns.js";
import { entryDetail } from "./entry-detail.js";
import { briefEntries, entryColumns, entryText } from "./events.js";

/** Lines of the list of events. */
const LEAST = 4;

export const overview: Screen = {
  id: "overview",
  title: "Overview",
  short: "All",
  about: "alerts, the daemon, its plugins, and what happened last",
  least: LEAST,
  top: (view) => {
    const all = [...alertLines(view), ...daemonLines(view), "", ...cards(view), ""];
    return all.length + LEAST <= view.height ? all : closeTogether(view);
  },
  listTitle: () => "Last events",
  list: ({ model, theme, state }) =>
    tableList(
      {
        rows: briefEntries(model.events),
        columns: entryColumns(theme, model.now, state.raw),
        id: ({ id }) => id,
        text: entryText,
        theme,
      },
      state,
    ),
  empty: () => "Nothing has happened yet.",
  preview: entryDetail,
  detail: entryDetail,
};

const SHOWN_ALERTS = 3;
/** Seconds that a rate is the mean of. */
const RATE_OVER = 10;

/** For few lines: plugins matter more than figures of the process, and those more than empty lines. */
function closeTogether(view: View): readonly string[] {
  const { model } = view;
  const { status, rates, now } = model;
  const [worst, ...others] = alertLines(view);
  const more = others.length === 0 ? "" : ` (and ${countText(others.length, "other")})`;
  const { generation, runs } = status ?? {};
  const facts = [
    ...(generation ? [`generation ${generation.number}, ${relative(generation.at, now)}`] : []),
    `${rateText(rates.all)} events`,
    ...(runs ? [`${runs.running} running`, `${runs.queued} queued`] : []),
  ];
  const all = [facts.join(", "), ...cards(view)];
  if (worst === undefined) return all;
  return all.length + others.length + 1 + LEAST <= view.height
    ? [worst, ...others, ...all]
    : [`${worst}${more}`, ...all];
}

/** Never wider than six cells while there are fewer than 100,000 a second. */
function rateText(rates: readonly number[]): string {
  const perSecond = rates.slice(-RATE_OVER).reduce((sum, rate) => sum + rate, 0) / RATE_OVER;
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`;
}

function alertLines({ model, theme }: View): readonly string[] {
  const alerts = alertsOf(model);
  const lines = alerts.slice(0, SHOWN_ALERTS).map(({ severity, text }) => {
    const [sign, style] =
      severity === "error" ? (["✗", "fail"] as const) : (["▲", "warn"] as const);
    return theme.paint(style, `${sign} ${text}`);
  });
  const more = alerts.length - SHOWN_ALERTS;
  return more > 0 ? [...lines, theme.paint("dim", `  and ${countText(more, "other")}`)] : lines;
}

function daemonLines({ model, theme, width }: View): readonly string[] {
  const { status, rates, now } = model;
  if (status === undefined) return [];
  const { generation, runs, process: own } = status;
  const chart = sparkline(rates.all, Math.max(0, Math.min(60, width - 40)));
  const { running, queued, failed, timed_out } = runs;
  return pairs(
    [
      [
        "running",
        generation &&
          `generation ${generation.number}, ${relative(generation.at, now)}; ${summaryText(generation.summary)}`,
      ],
      ["events", `${rateText(rates.all).padEnd(8)}${chart}`],
      ["runs", `${running} running, ${queued} queued, ${failed + timed_out} failed`],
      [
        "process",
        `${size(own.rss)}, heap ${size(own.heap)}, loop late by ${duration(own.loopLag.median)} (worst ${duration(own.loopLag.max)})`,
      ],
    ],
    (text) => theme.paint("dim", text),
    "",
  );
}

/** One row a plugin: what it does, how it is, how busy it is. */
function cards({ model, theme, width }: View): readonly string[] {
  const plugins = (model.status?.plugins ?? []).filter(({ state }) => state !== "discovered");
  if (plugins.length === 0) return [theme.paint("dim", "No plugin runs.")];
  const heading = (text: string) => theme.paint("bold", text);
  return table(cardColumns(model, theme), plugins, { width, heading });
}

const CHART = 12;

function cardColumns(model: Model, theme: Theme): ReadonlyArray<ListColumn<PluginStatus>> {
  const { rates, now } = model;
  const rateOf = (id: string) => rates.of.get(id) ?? [];
  return [
    { title: "PLUGIN", cell: ({ id }) => id, shrink: 8 },
    {
      title: "STATE",
      cell: ({ state }) => stateText(plainTheme, state),
      least: 11,
      paint: (text, { state }) => theme.paint(stateStyle(state), text),
    },
    { title: "HEALTH", cell: ({ health }) => health.state, priority: 2 },
    {
      title: "EVENTS",
      cell: ({ id }) => rateText(rateOf(id)),
      align: "right",
      least: 7,
      priority: 2,
    },
    {
      title: "",
      cell: ({ id }) => sparkline(rateOf(id), CHART),
      least: CHART,
      align: "right",
      priority: 4,
    },
    {
      title: "RUNNING",
      cell: ({ id }) => String(sumOf(model, id, "running") ?? ""),
      align: "right",
      priority: 4,
    },
    {
      title: "QUEUE",
      cell: ({ id }) => String(sumOf(model, id, "waiting") ?? ""),
      align: "right",
      priority: 1,
    },
    { title: "RESTARTS", cell: ({ restarts }) => String(restarts), align: "right", priority: 1 },
    ...PROCESS_COLUMNS.filter(({ title }) => title !== "PID"),
    {
      title: "SINCE",
      cell: ({ since }) => duration(now - since),
      align: "right",
      least: LEAST_OF.duration,
      priority: 6,
    },
    { title: "TROUBLE", cell: problemOf, shrink: 16, priority: 2 },
  ];
}

const problemOf = ({ health, failure, state }: PluginStatus): string =>
  oneLine(health.reason ?? (state === "running" ? "" : (failure?.reason ?? "")));

/** What the tables of a plugin say in a column of this name, in all. */
function sumOf({ panels }: Model, id: string, column: string): number | undefined {
  const tables = panels
    .filter(({ plugin }) => plugin === id)
    .flatMap(({ panels: own }) => own)
    .filter((panel) => panel.kind === "table" && panel.columns.some((each) => each.id === column));
  if (tables.length === 0) return undefined;
  return tables
    .flatMap((panel) => (panel.kind === "table" ? panel.rows : []))
    .reduce((sum, row) => sum + (typeof row[column] === "number" ? row[column] : 0), 0);
}
