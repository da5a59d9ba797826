/** What the overview answers first: whether all is well, what runs, what failed, what comes next. */
import type { PanelList, PluginStatus, RunSummary } from "../../../../daemon/http/control/api.js";
import type { View } from "../../../plugin-api/screen.js";
import { stateLook } from "../../../print/states.js";
import { oneLine } from "../../../print/text.js";
import { absolute, countText, duration, relative, size } from "../../../print/units.js";
import { digestOf, runTime } from "../../model/activity.js";
import type { Model } from "../../model/model.js";
import type { BoxContent } from "../../view/boxes.js";
import { gauge } from "../../view/charts.js";
import { ends, fit, widthOf } from "../../view/lines.js";
import type { Theme } from "../../view/theme.js";
import { alertsOf } from "../alerts.js";

/** Room of a panel for its lines. */
export interface Room {
  readonly width: number;
  readonly height: number;
}
type Seen = Pick<View, "model" | "theme">;

/** The worst alerts, then what is well. Never fewer than one line, whatever the room. */
export function verdict({ model, theme }: Seen, { width, height }: Room): BoxContent {
  const alerts = alertsOf(model);
  const shown = alerts.length < height ? alerts : alerts.slice(0, Math.max(1, height - 1));
  const lines = shown.map(({ severity, text }) => {
    const { sign, role } = stateLook(severity === "error" ? "failed" : "degraded");
    return `${theme.paint(role, sign)} ${fit(text, width - 2).trimEnd()}`;
  });
  const left = alerts.length - shown.length;
  const rest = left > 0 ? `… and ${countText(left, "other")}` : restText(model, alerts.length > 0);
  const sign = theme.paint(left > 0 ? "warn" : "ok", left > 0 ? "▲" : "✓");
  const last = ends(`${sign} ${rest}`, theme.paint("dim", figures(model)), width);
  return { title: "Is all well?", lines: [...lines, last] };
}

function restText({ status }: Model, hasAlerts: boolean): string {
  const plugins = (status?.plugins ?? []).filter(({ state }) => state !== "discovered");
  const blocks = plugins.reduce((sum, plugin: PluginStatus) => sum + plugin.blocks, 0);
  const all = `${countText(plugins.length, "plugin")}, ${countText(blocks, "block")}`;
  return `${hasAlerts ? "all else" : "all"} is well: ${all}`;
}

function figures({ status, now }: Model): string {
  if (status === undefined) return "";
  const { generation, process: own } = status;
  const loaded = generation
    ? `generation ${generation.number}, ${relative(generation.at, now)}; `
    : "";
  return `${loaded}${size(own.rss)}, loop late by ${duration(own.loopLag.median)}`;
}

export function running({ model, theme }: Seen, { width, height }: Room): BoxContent {
  const { runs, now, status } = model;
  const { active, usualDuration } = digestOf(runs);
  const lines = active.slice(0, height).map((run) => {
    const { sign, role } = stateLook(run.state);
    const name = `${theme.paint(role, sign)} ${theme.paint("accent", nameOf(run))}`;
    const since = duration(now - (run.startedAt ?? run.queuedAt));
    if (run.state === "queued") return ends(name, `queued for ${since}`, width);
    const usual = usualDuration(run.subject);
    if (usual === undefined || usual < 1000) return ends(name, since, width);
    const share = (now - runTime(run)) / usual;
    const progress = `${theme.paint("running", gauge(share, 8))} of ~${duration(usual)}`;
    return ends(name, `${since} ${progress}`, width);
  });
  const { running: started = 0, queued = 0 } = status?.runs ?? {};
  const fact = [`${started} running`, ...(queued > 0 ? [`${queued} queued`] : [])].join(", ");
  return { title: "Running", fact, lines: orNone(lines, "Nothing runs.", theme) };
}

/** Milliseconds that failures stay in their panel. */
const DAY = 24 * 3_600_000;

export function failed({ model, theme }: Seen, { width, height }: Room): BoxContent {
  const { runs, now, status } = model;
  const bad = digestOf(runs).failed.filter(({ finishedAt = 0 }) => now - finishedAt < DAY);
  const lines = bad.slice(0, height).map((run) => {
    const { sign, role } = stateLook(run.state);
    const at = absolute(run.finishedAt ?? run.queuedAt, now).slice(-8, -3);
    const head = `${theme.paint("dim", at)} ${theme.paint(role, sign)} ${theme.paint("accent", nameOf(run))}  `;
    const room = Math.max(0, width - widthOf(head));
    return head + fit(reasonOf(run), room).trimEnd();
  });
  const { failed: all = 0, timed_out = 0 } = status?.runs ?? {};
  const fact = all + timed_out === 0 ? "" : `${all + timed_out} kept`;
  return { title: "Failed", fact, lines: orNone(lines, "No failed run in 24 hours.", theme) };
}

function reasonOf({ state, exitCode, reason, startedAt, finishedAt }: RunSummary): string {
  const took =
    startedAt === undefined || finishedAt === undefined
      ? ""
      : ` after ${duration(finishedAt - startedAt)}`;
  if (state === "timed_out") return `timed out${took}`;
  if (exitCode !== undefined) return `exit ${exitCode}${took}`;
  return oneLine(reason ?? state);
}

/** Something that a plugin plans. */
interface Planned {
  readonly at: number;
  readonly name: string;
  readonly what: string;
}

/** Ids of columns of time whose values lie ahead by their meaning. */
const AHEAD: ReadonlySet<string> = new Set(["next", "ends", "expires"]);

/** From the panels of all plugins: a column `next`, `ends` or `expires` with times. The first column names what it is about. */
function planned(panels: PanelList["plugins"], now: number): readonly Planned[] {
  return panels
    .flatMap(({ panels: own }) => own)
    .flatMap((panel) => {
      if (panel.kind !== "table") return [];
      const column = panel.columns.find(({ id, format }) => format === "time" && AHEAD.has(id));
      const [named] = panel.columns;
      if (column === undefined || named === undefined) return [];
      return panel.rows.flatMap((row) => {
        const at = row[column.id];
        if (typeof at !== "number" || at <= now) return [];
        const what = `${panel.title.toLowerCase().replace(/s$/, "")}${column.id === "next" ? "" : ` ${column.id}`}`;
        return [{ at, name: oneLine(String(row[named.id] ?? "")), what }];
      });
    })
    .sort((a, b) => a.at - b.at);
}

export function next({ model, theme }: Seen, { width, height }: Room): BoxContent {
  const { panels, now } = model;
  const all = planned(panels, now);
  const lines = all.slice(0, height).map(({ at, name, what }) => {
    const [date, time = date] = absolute(at, now).split(" ");
    const day = at - now < DAY ? (time ?? "").slice(0, 5) : (date ?? "").slice(5);
    const ahead = relative(at, now);
    const head = `${theme.paint("dim", day)} ${theme.paint("accent", name)} ${theme.paint("dim", what)}`;
    return ends(fitted(head, width - ahead.length - 1), ahead, width);
  });
  const fact = all.length > height ? `${all.length} planned` : "";
  return { title: "Next", fact, lines: orNone(lines, "Nothing is planned.", theme) };
}

const fitted = (text: string, width: number): string =>
  widthOf(text) <= width ? text : fit(text, width);

const orNone = (lines: readonly string[], none: string, { paint }: Theme): readonly string[] =>
  lines.length > 0 ? lines : [paint("dim", none)];

/** Without the kind where it is a hook: those are most. */
export const nameOf = ({ subject }: Pick<RunSummary, "subject">): string =>
  oneLine(subject.replace(/^hook\./, ""));
