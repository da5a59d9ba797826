/** One row a plugin: what it does, how it is, how busy it is. */
import type { PluginStatus } from "../../../../daemon/http/control/api.js";
import type { View } from "../../../plugin-api/screen.js";
import { stateStyle } from "../../../print/layout.js";
import { table } from "../../../print/table.js";
import { oneLine } from "../../../print/text.js";
import { duration } from "../../../print/units.js";
import type { Model } from "../../model/model.js";
import type { BoxContent } from "../../view/boxes.js";
import { sparkline } from "../../view/charts.js";
import type { ListColumn } from "../../view/list.js";
import { plainTheme, stateText, type Theme } from "../../view/theme.js";
import { LEAST as LEAST_OF, PROCESS_COLUMNS } from "../columns.js";
import { rateText } from "./charts.js";
import type { Room } from "./panels.js";

export function pluginsPanel(
  { model, theme }: Pick<View, "model" | "theme">,
  { width }: Room,
): BoxContent {
  const plugins = (model.status?.plugins ?? []).filter(({ state }) => state !== "discovered");
  const heading = (text: string) => theme.paint("bold", text);
  const lines =
    plugins.length === 0
      ? [theme.paint("dim", "No plugin runs.")]
      : table(cardColumns(model, theme), plugins, { width, heading });
  return { title: "Plugins", fact: `${rateText(model.rates.all)} events`, lines };
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
    { title: "REASON", cell: problemOf, shrink: 16, priority: 2 },
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
