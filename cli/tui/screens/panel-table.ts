/** A table that a plugin shows, as a list that can be sorted and chosen from. */
import type { Panel } from "../../../daemon/http/control/api.js";
import { stateStyle } from "../../print/layout.js";
import { cellText } from "../../print/panels.js";
import { oneLine } from "../../print/text.js";
import type { Model } from "../model/model.js";
import type { ListColumn } from "../view/list.js";
import type { Theme } from "../view/theme.js";
import { LEAST } from "./columns.js";

export type PanelTable = Extract<Panel, { readonly kind: "table" }>;
export type PanelRow = PanelTable["rows"][number];

/** `id`: of the panel. Absent: the plugin's first table. */
export function tablePanel({ panels }: Model, plugin: string, id?: string): PanelTable | undefined {
  const own = panels.find((each) => each.plugin === plugin)?.panels ?? [];
  return own.find(
    (panel): panel is PanelTable => panel.kind === "table" && (!id || panel.id === id),
  );
}

export function panelColumns(
  panel: PanelTable,
  theme: Theme,
  now: number,
): ReadonlyArray<ListColumn<PanelRow>> {
  return panel.columns.map(
    ({ id, title, format = "text", priority = 0 }, index): ListColumn<PanelRow> => ({
      title: oneLine(title).toUpperCase(),
      least: LEAST_OF[format] ?? 0,
      cell: (row) => cellText(row[id], format, now),
      priority,
      // The first one has the names: others are dropped before it is cut.
      ...(format === "text" && { shrink: index === 0 ? NAME : 12 }),
      ...(["number", "duration", "size", "ratio"].includes(format) && { align: "right" as const }),
      ...(format === "state" && {
        paint: (text: string, row: PanelRow) => theme.paint(stateStyle(String(row[id])), text),
      }),
      value: (row) => sortValue(row[id]),
    }),
  );
}

/** Cells of a name at least, where it has as many. */
const NAME = 24;

/** Columns of the screen for values that change while one looks. */
const LEAST_OF: Readonly<Record<string, number>> = {
  ...{ time: LEAST.when, duration: 6, size: LEAST.size, state: LEAST.state },
};

/** Numbers sort from the largest, since that is what is looked for. */
const sortValue = (cell: PanelRow[string] | undefined): string | number | undefined => {
  if (cell === null || cell === undefined) return undefined;
  return typeof cell === "number" ? -cell : String(cell);
};
