/** Panels of any plugin as lines: what they say decides, not which plugin it is. */
import type { Panel } from "../../../daemon/http/control/api.js";
import { cellText } from "../../print/panels.js";
import { table } from "../../print/table.js";
import { manyLines, oneLine } from "../../print/text.js";
import { absolute, duration } from "../../print/units.js";
import { panelColumns } from "../screens/panel-table.js";
import { brailleArea, sparkline } from "./charts.js";
import { fit, pairs, wrapped } from "./lines.js";
import { stateText, type Theme } from "./theme.js";

type Of<Kind extends Panel["kind"]> = Extract<Panel, { readonly kind: Kind }>;

export interface PanelLayout {
  readonly width: number;
  readonly theme: Theme;
  /** The daemon's clock. */
  readonly now: number;
}

/** With an empty line after it. */
export function panelLines(panel: Panel, layout: PanelLayout): readonly string[] {
  const title = layout.theme.paint("bold", oneLine(panel.title));
  return [title, ...bodyOf(panel, layout), ""];
}

function bodyOf(panel: Panel, layout: PanelLayout): readonly string[] {
  if (panel.kind === "table") return tableLines(panel, layout);
  if (panel.kind === "values") return valueLines(panel, layout);
  if (panel.kind === "series") return seriesLines(panel, layout);
  return panel.kind === "log" ? logLines(panel, layout) : [];
}

function tableLines(panel: Of<"table">, { width, theme, now }: PanelLayout): readonly string[] {
  const { rows, omitted = 0 } = panel;
  if (rows.length === 0) return [theme.paint("dim", "  nothing yet")];
  const heading = (text: string) => theme.paint("dim", text);
  const columns = panelColumns(panel, theme, now);
  const lines = table(columns, rows, { width: width - 2, heading }).map((line) => `  ${line}`);
  return omitted > 0 ? [...lines, theme.paint("dim", `  and ${omitted} more`)] : lines;
}

function valueLines({ entries }: Of<"values">, { theme, now }: PanelLayout): readonly string[] {
  const shown = entries.map(({ name, value, format = "text" }) => {
    const text =
      format === "state" ? stateText(theme, String(value)) : cellText(value, format, now);
    return [oneLine(name), text] as const;
  });
  return pairs(shown, (text) => theme.paint("dim", text));
}

/** Few series get a chart each, many a row each; all of one panel share their scale. */
function seriesLines(panel: Of<"series">, { width, theme, now }: PanelLayout): readonly string[] {
  const { series, interval, unit = "number" } = panel;
  const room = Math.max(10, Math.min(width - 4, 120));
  const say = (point: number | undefined) => cellText(point ?? null, unit, now);
  const most = (points: readonly number[]) => points.reduce((a, b) => Math.max(a, b), 0);
  if (series.length > 3) {
    const rows = series.map(({ name, points }) => {
      const line = sparkline(points, Math.min(60, room - 30));
      return [oneLine(name), `${line} ${say(points.at(-1))}`] as const;
    });
    return pairs(rows, (text) => theme.paint("dim", text));
  }
  // Two beside each other where each has room: what is below them is seen, too.
  const beside = series.length === 2 && width >= BESIDE;
  const each = beside ? Math.floor((width - 4) / 2) - 2 : room;
  const top = Math.max(...series.map(({ points }) => most(points.slice(-each * 2))));
  const charts = series.map(({ name, points }) => {
    const shown = points.slice(-each * 2);
    // Whole dots for each: bars that move along keep their width.
    const dots = Math.max(1, Math.floor((each * 2) / Math.max(1, shown.length)));
    const drawn = shown.flatMap((point) => new Array<number>(dots).fill(point));
    const size = { width: Math.ceil(drawn.length / 2), height: 3, top };
    const span = duration(interval * shown.length);
    const about = `${oneLine(name)}: ${say(shown.at(-1))}, at most ${say(most(shown))} in ${span}`;
    return [about, ...brailleArea(drawn, size)];
  });
  const [left = [], right = []] = charts;
  const rows = beside
    ? left.map((line, index) => `${fit(line, each + 4)}${right[index] ?? ""}`)
    : charts.flat();
  return rows.map((row) => `  ${row}`);
}

/** Columns of the screen. */
const BESIDE = 100;

function logLines({ lines }: Of<"log">, { width, theme, now }: PanelLayout): readonly string[] {
  return lines.toReversed().flatMap(({ at, level, text }) => {
    const head = `${absolute(at, now)} ${oneLine(level).padEnd(5)}`;
    const [first = "", ...more] = wrapped(manyLines(text).trimEnd(), width - head.length - 4);
    return [`  ${theme.paint("dim", head)} ${first}`, ...more.map((line) => `    ${line}`)];
  });
}
