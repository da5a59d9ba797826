/** The last hour of each block, and how busy the daemon and its plugins are. */
import type { Panel } from "../../../../daemon/http/control/api.js";
import type { Role } from "../../../plugin-api/roles.js";
import type { View } from "../../../plugin-api/screen.js";
import { stateLook } from "../../../print/states.js";
import { oneLine } from "../../../print/text.js";
import { absolute, relative } from "../../../print/units.js";
import { ACTIVITY_SPAN, type Activity, activities, runsPerMinute } from "../../model/activity.js";
import type { BoxContent } from "../../view/boxes.js";
import { axisChart } from "../../view/charts.js";
import { ends, fit, widthOf } from "../../view/lines.js";
import type { Theme } from "../../view/theme.js";
import { nameOf, type Room } from "./panels.js";

type Seen = Pick<View, "model" | "theme">;

const LEVELS = "▂▃▅▇";
/** Cells of names and counts beside a timeline. */
const NAME = 10;
const MOST_NAME = 24;
const COUNT = 7;

/** One row a block: height by count, and the sign of the worst state where that is not success. */
export function timelines({ model, theme }: Seen, { width, height }: Room): BoxContent {
  const cells = width >= NAME + 60 + COUNT ? 60 : 45;
  const minutes = ACTIVITY_SPAN / cells / 1000;
  const all = activities(model.runs, model.now, cells);
  const rows = height > 4 ? height - 1 : height;
  const shown = all.length <= rows ? all : mostActive(all, rows);
  const longest = Math.max(0, ...shown.map((each) => widthOf(nameOf(each)))) + 1;
  const named = Math.min(Math.max(NAME, longest), Math.max(NAME, width - cells - COUNT), MOST_NAME);
  const lines = shown.map(({ subject, runs, cells: own }) => {
    const most = Math.max(...own.map(({ runs: count }) => count));
    const strip = own.map((cell) => timelineCell(cell, most, theme)).join("");
    return ends(`${fit(nameOf({ subject }), named - 1)} ${strip}`, String(runs), width);
  });
  const at = (age: number) => absolute(model.now - age, model.now).slice(-8, -3);
  const gap = Math.max(1, Math.floor((cells - 15) / 2));
  const times = [at(ACTIVITY_SPAN), at(ACTIVITY_SPAN / 2), at(0)].join(" ".repeat(gap));
  const axis =
    lines.length > 0 && lines.length < height
      ? [theme.paint("dim", " ".repeat(named) + times)]
      : [];
  const none = [theme.paint("dim", "No run in the last hour.")];
  return {
    title: "Last hour",
    fact: minutes === 60 ? "a cell is a minute" : `a cell is ${minutes}s`,
    lines: lines.length === 0 ? none : [...lines, ...axis],
  };
}

function timelineCell(
  { runs, worst }: Activity["cells"][number],
  most: number,
  { paint }: Theme,
): string {
  if (worst === undefined) return paint("dim", "·");
  const { sign, role } = stateLook(worst);
  if (worst !== "succeeded") return paint(role, sign);
  const level = most <= 1 ? 1 : Math.round(((runs - 1) / (most - 1)) * (LEVELS.length - 1));
  return paint("ok", LEVELS.charAt(level));
}

const hasFailed = ({ cells }: Activity): number =>
  cells.some(({ worst }) => worst === "failed" || worst === "timed_out") ? 1 : 0;

/** What failed first, then what ran most; in the order of their names. */
function mostActive(all: readonly Activity[], count: number): readonly Activity[] {
  const chosen = new Set(
    [...all].sort((a, b) => hasFailed(b) - hasFailed(a) || b.runs - a.runs).slice(0, count),
  );
  return all.filter((each) => chosen.has(each));
}

/** `7.7`, `31`, `1.2k`: four cells at most. */
export function shortNumber(value: number): string {
  if (value >= 1000) return `${trimmed(value / 1000)}k`;
  return trimmed(value);
}

const trimmed = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));

/** Seconds that a rate is the mean of. */
const RATE_OVER = 10;

const perSecond = (value: number): string => `${shortNumber(value)}/s`;

export function rateText(rates: readonly number[]): string {
  return perSecond(rates.slice(-RATE_OVER).reduce((sum, rate) => sum + rate, 0) / RATE_OVER);
}

export function eventsChart({ model, theme }: Seen, room: Room): BoxContent {
  const rates = model.rates.all;
  const peak = rates.reduce((a, b) => Math.max(a, b), 0);
  const shown = Math.min(rates.length, (room.width - 7) * 2);
  const chart = {
    series: [{ points: rates, role: "s1" as const }],
    label: perSecond,
    since: relative(model.now - shown * 1000, model.now),
  };
  return {
    title: "Events",
    fact: `${rateText(rates)}, most ${shortNumber(peak)}`,
    lines: axisChart(chart, room, theme),
  };
}

export function runsChart({ model, theme }: Seen, room: Room): BoxContent {
  const points = stretched(runsPerMinute(activities(model.runs, model.now, 60)), room);
  const label = (value: number) => `${shortNumber(value)}/m`;
  const series = [{ points, role: "s2" as const }];
  const all = points.length === 0 ? 0 : model.runs.length;
  return {
    title: "Runs",
    fact: all === 0 ? "" : "a minute",
    lines: axisChart({ series, label, since: "60m ago" }, room, theme),
  };
}

/** One point for each column of dots: 60 minutes over the whole width. */
function stretched(points: readonly number[], { width }: Room): readonly number[] {
  const columns = Math.max(0, width - 7) * 2;
  if (points.length === 0) return [];
  return Array.from(
    { length: columns },
    (_, column) => points[Math.floor((column * points.length) / columns)] ?? 0,
  );
}

type Series = Extract<Panel, { kind: "series" }>;
/** The roles of the series of one chart, in their order. */
export const SERIES_ROLES: readonly Role[] = ["s2", "denied", "s3", "s4", "s5", "s6"];

/** The series of plugins, in their order. */
export const seriesOf = ({ model }: Seen): readonly Series[] =>
  model.panels.flatMap(({ panels }) => panels.filter((panel) => panel.kind === "series"));

export function seriesChart(panel: Series, { model, theme }: Seen, room: Room): BoxContent {
  const series = panel.series
    .slice(0, SERIES_ROLES.length)
    .map(({ name, points }, index) => ({ name, points, role: SERIES_ROLES[index] ?? "s2" }));
  const columns = Math.min(
    Math.max(0, ...series.map(({ points }) => points.length)),
    (room.width - 7) * 2,
  );
  const legend = series.map(({ name, role }) => `${theme.paint(role, "▮")} ${oneLine(name)}`);
  const since = relative(model.now - columns * panel.interval, model.now);
  return {
    title: oneLine(panel.title),
    fact: legend.join("  "),
    lines: axisChart({ series, label: shortNumber, since }, room, theme),
  };
}
