/** Panels as text: tables, values, series and logs, as their plugins describe them. */
import type { Panel } from "../../daemon/http/control/api.js";
import type { Channel } from "../plugin-api/output.js";
import { stateStyle, stateWord, writePairs, writeTable } from "./layout.js";
import { manyLines, oneLine } from "./text.js";
import { absolute, duration, ratio, relative, size } from "./units.js";

type Of<Kind extends Panel["kind"]> = Extract<Panel, { readonly kind: Kind }>;
type TablePanel = Of<"table">;
type Cell = TablePanel["rows"][number][string];
type Format = NonNullable<TablePanel["columns"][number]["format"]>;

export function showPanel(out: Channel, panel: Panel, now: number): void {
  out.line(out.paint("bold", oneLine(panel.title)));
  if (panel.kind === "table") showTable(out, panel, now);
  else if (panel.kind === "values") showValues(out, panel, now);
  else if (panel.kind === "series") showSeries(out, panel, now);
  else if (panel.kind === "log") showLog(out, panel, now);
}

function showTable(out: Channel, { columns, rows, omitted = 0 }: TablePanel, now: number): void {
  const tableColumns = columns.map(({ id, title, format = "text", priority = 0 }) => ({
    title: oneLine(title).toUpperCase(),
    cell: (row: TablePanel["rows"][number]) => cellText(row[id], format, now),
    align: isNumeric(format) ? ("right" as const) : ("left" as const),
    priority,
    ...(format === "text" && { shrink: 12 }),
    ...(format === "state" && {
      paint: (text: string, row: TablePanel["rows"][number]) =>
        out.paint(stateStyle(String(row[id])), text),
    }),
  }));
  writeTable(out, tableColumns, rows, "  ");
  if (omitted > 0) out.line(out.paint("dim", `  and ${omitted} more`));
}

function showValues(out: Channel, { entries }: Of<"values">, now: number): void {
  writePairs(
    out,
    entries.map(({ name, value, format = "text" }) => [
      oneLine(name),
      cellText(value, format, now),
    ]),
    "  ",
  );
}

/** The newest points, as many as fit; the newest stands at the right and is also told as a number. */
function showSeries(out: Channel, panel: Of<"series">, now: number): void {
  const { series, interval, unit = "number" } = panel;
  const room = Math.max(10, (out.isTerminal ? out.columns : 80) - 40);
  writePairs(
    out,
    series.map(({ name, points }) => {
      const shown = points.slice(-room);
      const newest = cellText(shown.at(-1) ?? null, unit, now);
      const most = cellText(shown.length === 0 ? null : Math.max(...shown), unit, now);
      const span = duration(interval * shown.length);
      return [oneLine(name), `${sparkline(shown)} ${newest} (at most ${most} in ${span})`];
    }),
    "  ",
  );
}

function showLog(out: Channel, { lines }: Of<"log">, now: number): void {
  for (const { at, level, text } of lines) {
    const [first = "", ...more] = manyLines(text).trimEnd().split("\n");
    const head = `${absolute(at, now)} ${oneLine(level).padEnd(5)}`;
    out.line(`  ${out.paint("dim", head)} ${first}`);
    for (const line of more) out.line(`    ${line}`);
  }
}

const isNumeric = (format: Format): boolean =>
  ["number", "duration", "size", "ratio"].includes(format);

/** A cell as its column means it; what does not fit the column's format is shown as it is. */
export function cellText(cell: Cell | undefined, format: Format, now: number): string {
  if (cell === null || cell === undefined) return "-";
  if (format === "state") return stateWord(String(cell));
  if (typeof cell !== "number") return oneLine(String(cell));
  if (format === "duration") return duration(cell);
  if (format === "size") return size(cell);
  if (format === "ratio") return ratio(cell);
  if (format === "time") return relative(cell, now);
  return Number.isInteger(cell) ? String(cell) : String(Number(cell.toPrecision(4)));
}

const LEVELS = "▁▂▃▄▅▆▇█";

/** A row of bars, from nothing to the largest of the points. Points are not negative. */
export function sparkline(points: readonly number[]): string {
  const most = Math.max(0, ...points);
  return points
    .map((point) => {
      const level = most === 0 ? 0 : Math.round((Math.max(0, point) / most) * (LEVELS.length - 1));
      return LEVELS.charAt(level);
    })
    .join("");
}
