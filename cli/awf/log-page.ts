/** `awf logs summary --format html`: a page in one file. */
import { html, type Markup } from "../print/html.js";
import { barChart, isoTime, reportFacts, reportPage, reportTable } from "../print/report.js";
import { countText } from "../print/units.js";

interface Counts {
  readonly allowed: number;
  readonly denied: number;
}

interface NamedCounts extends Counts {
  readonly name: string;
}

/** As the firewall counts it. */
export interface LogPageData {
  readonly total: Counts;
  readonly overTime: ReadonlyArray<Counts & { readonly at: number }>;
  /** Seconds. */
  readonly interval: number;
  readonly domains: readonly NamedCounts[];
  readonly programs: readonly NamedCounts[];
}

/** Rows of a table at most. */
const MOST = 50;

export function logPage(data: LogPageData, now: number): string {
  const { total, overTime, interval, domains, programs } = data;
  const [first] = overTime;
  const last = overTime.at(-1);
  const timeOf = (at: number) => isoTime(at * 1000);
  return reportPage(
    "Firewall",
    [
      reportFacts([
        countText(total.allowed + total.denied, "request"),
        html`<span class="ok">✓ allowed</span> ${total.allowed}`,
        html`<span class="denied">⊘ denied</span> ${total.denied}`,
        countText(domains.length, "domain"),
      ]),
      barChart({
        title: "Requests over time",
        label: `Allowed and denied requests in intervals of ${interval} s, oldest first`,
        bars: overTime.map(({ at, allowed, denied }) => ({
          parts: [
            { role: "ok", value: allowed },
            { role: "denied", value: denied },
          ],
          about: `${timeOf(at)}: ${allowed} allowed, ${denied} denied`,
        })),
        format: (value) => String(value),
        from: first === undefined ? "" : timeOf(first.at),
        to: last === undefined ? "" : timeOf(last.at + interval),
      }),
      ...countTable("Top domains", "Domain", domains),
      ...countTable("Programs that sent them", "Program", programs),
    ],
    now,
  );
}

function countTable(title: string, what: string, rows: readonly NamedCounts[]): readonly Markup[] {
  if (rows.length === 0) return [];
  const most = rows.reduce((a, { allowed, denied }) => Math.max(a, allowed + denied), 0);
  const left = rows.length - MOST;
  const table = reportTable<NamedCounts>(
    title,
    [
      { title: what, cell: ({ name }) => name },
      { title: "Allowed", isNumber: true, cell: ({ allowed }) => allowed },
      { title: "Denied", isNumber: true, cell: ({ denied }) => denied },
      { title: "Share of the first", cell: (row) => shareBar(row, most) },
    ],
    rows.slice(0, MOST),
  );
  return left > 0 ? [table, html`<p class="dim">and ${left} more</p>`] : [table];
}

const BAR = 200;

/** A bar of both counts, against the largest of its table. */
function shareBar({ allowed, denied }: Counts, most: number): Markup {
  const width = (count: number) => ((count / Math.max(1, most)) * BAR).toFixed(1);
  return html`<svg viewBox="0 0 ${BAR} 10" width="${BAR}" aria-hidden="true"><rect class="ok" width="${width(allowed)}" height="10"/><rect class="denied" x="${width(allowed)}" width="${width(denied)}" height="10"/></svg>`;
}
