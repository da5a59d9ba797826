/** Reports as pages in one file: what those of runs, of updates and of the firewall's log have in common. */
import { html, htmlPage, type Markup } from "./html.js";
import { stateWord } from "./layout.js";
import { stateLook } from "./states.js";

/** Units of a picture, which is as wide as the page. */
const WIDTH = 1000;
const HEIGHT = 180;
const LEFT = 60;
const TOP = 14;
/** Units of the widest bar. */
const WIDEST = 24;

export const isoTime = (at: number): string =>
  new Date(at).toISOString().replace("T", " ").replace(/\..*/, "");

export const reportPage = (title: string, body: readonly Markup[], now: number): string =>
  htmlPage(title, [
    ...body,
    html`<footer>Made by Reeve at ${isoTime(now)}. Times are in UTC.</footer>`,
  ]);

export const stateMarkup = (state: string): Markup => {
  const { sign, role } = stateLook(state);
  return html`<span class="${role}">${sign} ${stateWord(state)}</span>`;
};

/** Figures beside each other. */
export const reportFacts = (facts: readonly (Markup | string)[]): Markup =>
  html`<p class="facts">${facts.map((fact) => html`<span>${fact}</span>`)}</p>
`;

/** 1, 2, 2.5 or 5 times a power of ten, not below the largest value. */
export function scaleTop(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest)));
  return ([1, 2, 2.5, 5].find((step) => step * power >= largest) ?? 10) * power;
}

/** Parts of a bar, from the bottom. */
interface BarPart {
  /** A role of the themes, such as `ok`. */
  readonly role: string;
  readonly value: number;
}

interface Bar {
  readonly parts: readonly BarPart[];
  /** Said of it where the pointer is on it. */
  readonly about: string;
}

export interface BarChart {
  readonly title: string;
  /** Said instead of the picture by a screen reader. */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
  /** Below the first and the last bar. */
  readonly from: string;
  readonly to: string;
}

/** Oldest first. Nothing at all without bars. */
export function barChart({ title, label, bars, format, from, to }: BarChart): Markup {
  if (bars.length === 0) return html``;
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const top = scaleTop(sums.reduce((a, b) => Math.max(a, b), 0));
  const room = (WIDTH - LEFT) / bars.length;
  const drawn = bars.map(({ parts, about }, index) => {
    let y = TOP + HEIGHT;
    return parts.map(({ role, value }) => {
      // What is there is seen, however small.
      const height = value <= 0 ? 0 : Math.max(2, (value / top) * HEIGHT);
      y -= height;
      return html`<rect class="${role}" x="${(LEFT + index * room).toFixed(2)}" y="${y.toFixed(2)}" width="${Math.min(WIDEST, room * 0.8).toFixed(2)}" height="${height.toFixed(2)}"><title>${about}</title></rect>
`;
    });
  });
  const marks = [1, 0.5, 0].map((share) => {
    const y = TOP + HEIGHT * (1 - share);
    return html`<line x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${format(top * share)}</text>
`;
  });
  const bottom = TOP + HEIGHT + 20;
  return html`<h2>${title}</h2>
<svg viewBox="0 0 ${WIDTH} ${bottom + 8}" role="img" aria-label="${label}">
${marks}${drawn.flat()}<text x="${LEFT}" y="${bottom}">${from}</text><text x="${WIDTH}" y="${bottom}" text-anchor="end">${to}</text>
</svg>
`;
}

export interface ReportColumn<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => Markup | string | number | undefined;
}

export function reportTable<Row>(
  title: string,
  columns: ReadonlyArray<ReportColumn<Row>>,
  rows: readonly Row[],
): Markup {
  const heads = columns.map(({ title: name, isNumber }) =>
    isNumber ? html`<th class="number">${name}</th>` : html`<th>${name}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(({ cell, isNumber }) =>
      isNumber ? html`<td class="number">${cell(row)}</td>` : html`<td>${cell(row)}</td>`,
    );
    return html`<tr>${cells}</tr>
`;
  });
  return html`<h2>${title}</h2>
<div class="wide"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${lines}</tbody>
</table></div>
`;
}
