/** Panels of the overview: cards, charts, timelines. */
import { h, line, panel, spans } from "./dom.js";
import type { Card, ChartData, TimelineRow } from "./wire.js";

export const card = ({ title, fact, lines }: Card, index: number): Element =>
  panel(index === 0 ? "wide verdict" : "", title, spans(fact), ...lines.map(line));

/** Every chart has a scale, times, a legend, and its values as a table. */
export function chart({ title, fact, top, scale, times, series }: ChartData): Element {
  const yOf = (value: number) => (120 - (value * 116) / top).toFixed(1);
  const lines = series.map(({ points, role }) =>
    h("polyline", {
      class: `series l-${role}`,
      points: points
        .map((value, at) => {
          const x = (at * 600) / Math.max(1, points.length - 1);
          return `${x.toFixed(1)},${yOf(value)}`;
        })
        .join(" "),
    }),
  );
  const grid = scale.map((_, at) => {
    const y = yOf((at * top) / (scale.length - 1));
    return h("line", { class: "rule l-rule", x1: 0, x2: 600, y1: y, y2: y });
  });
  const drawing = { viewBox: "0 0 600 124", preserveAspectRatio: "none", "aria-hidden": true };
  const words = (all: readonly string[]) => all.map((text) => h("span", {}, text));
  const legend = series.flatMap(({ name, role }) => [
    h("span", { class: `r-${role}` }, "▮"),
    ` ${name}  `,
  ]);
  const rows = series.map(({ name, points }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", { class: "number" }, String(points.at(-1) ?? 0)),
      h("td", { class: "number" }, String(Math.max(0, ...points))),
    ),
  );
  const heads = ["series", "latest", "most"].map((name) => h("th", { scope: "col" }, name));
  return panel(
    "half",
    title,
    [...legend, fact],
    h(
      "div",
      { class: "plot r-dim" },
      h("div", { class: "scale" }, ...words(scale.toReversed())),
      h("svg", drawing, ...grid, ...lines),
      h("div", { class: "times" }, ...words(times)),
    ),
    h(
      "details",
      { "data-key": `values-${title}` },
      h("summary", {}, "Values"),
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)),
    ),
  );
}

export function strip({ name, runs, cells }: TimelineRow): Element {
  const most = Math.max(1, ...cells.map((cell) => cell.runs));
  const bars = cells.flatMap(({ runs: count, role, word }, at) => {
    if (role === undefined) return [];
    const height = 4 + (count * 14) / most;
    const box = { x: at * 10, y: 18 - height, width: 8, height, class: `f-${role}` };
    return [h("rect", box, h("title", {}, `${count} ${word}`))];
  });
  const words = [...new Set(cells.flatMap(({ word }) => (word ? [word] : [])))].join(", ");
  const drawing = { viewBox: "0 0 600 18", preserveAspectRatio: "none", role: "img" };
  return h(
    "div",
    { class: "strip" },
    h("span", { class: "r-accent" }, name),
    h("svg", { ...drawing, "aria-label": `${runs} runs: ${words}` }, ...bars),
    h("span", { class: "number" }, String(runs)),
  );
}
