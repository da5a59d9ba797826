/** Runs as a page in one file: how many ended how, how long each took, and a table of all. */
import type { RunSummary } from "../../daemon/http/control/api.js";
import { html, htmlPage, type Markup } from "./html.js";
import { stateWord } from "./layout.js";
import { stateLook } from "./states.js";
import { countText, duration, size } from "./units.js";

/** Units of the picture, which is as wide as the page. */
const WIDTH = 1000;
const HEIGHT = 180;
const LEFT = 60;
const TOP = 14;

/** `runs`: newest first. */
export function runsPage(runs: readonly RunSummary[], now: number): string {
  return htmlPage("Runs", [
    stateCounts(runs),
    chart(runs, now),
    runTable(runs, now),
    html`<footer>Made by Reeve at ${iso(now)}. Times are in UTC.</footer>`,
  ]);
}

const iso = (at: number): string =>
  new Date(at).toISOString().replace("T", " ").replace(/\..*/, "");

const stateMarkup = (state: string): Markup => {
  const { sign, role } = stateLook(state);
  return html`<span class="${role}">${sign} ${stateWord(state)}</span>`;
};

function stateCounts(runs: readonly RunSummary[]): Markup {
  const counts = [...Map.groupBy(runs, ({ state }) => state)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const facts = counts.map(
    ([state, all]) => html`<span>${stateMarkup(state)} ${all.length}</span>`,
  );
  return html`<p class="facts"><span>${countText(runs.length, "run")}</span>${facts}</p>`;
}

const tookOf = ({ startedAt, finishedAt }: RunSummary, now: number): number | undefined =>
  startedAt === undefined ? undefined : Math.max(0, (finishedAt ?? now) - startedAt);

/** 1, 2, 2.5 or 5 times a power of ten, not below the largest value. */
export function scaleTop(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest)));
  return ([1, 2, 2.5, 5].find((step) => step * power >= largest) ?? 10) * power;
}

/** A bar for each run, the newest on the right. */
function chart(runs: readonly RunSummary[], now: number): Markup {
  const shown = runs.filter(({ startedAt }) => startedAt !== undefined).toReversed();
  const [first] = shown;
  if (first === undefined) return html``;
  const top = scaleTop(Math.max(...shown.map((run) => tookOf(run, now) ?? 0)));
  const room = (WIDTH - LEFT) / shown.length;
  const bars = shown.map((run, index) => {
    const took = tookOf(run, now) ?? 0;
    const height = Math.max(2, (took / top) * HEIGHT);
    const { role } = stateLook(run.state);
    const about = `${run.subject} ${stateWord(run.state)}, ${duration(took)}, ${iso(run.startedAt ?? run.queuedAt)}`;
    return html`<rect class="${role}" x="${(LEFT + index * room).toFixed(2)}" y="${(TOP + HEIGHT - height).toFixed(2)}" width="${Math.min(24, room * 0.8).toFixed(2)}" height="${height.toFixed(2)}"><title>${about}</title></rect>
`;
  });
  const marks = [1, 0.5, 0].map((share) => {
    const y = TOP + HEIGHT * (1 - share);
    return html`<line x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${duration(top * share)}</text>
`;
  });
  const bottom = TOP + HEIGHT + 20;
  return html`<h2>How long each took</h2>
<svg viewBox="0 0 ${WIDTH} ${bottom + 8}" role="img" aria-label="Time of each run, oldest first; the table below has the numbers">
${marks}${bars}<text x="${LEFT}" y="${bottom}">${iso(first.startedAt ?? first.queuedAt)}</text><text x="${WIDTH}" y="${bottom}" text-anchor="end">newest</text>
</svg>
`;
}

function runTable(runs: readonly RunSummary[], now: number): Markup {
  const rows = runs.map((run) => {
    const { id, subject, state, startedAt, queuedAt, exitCode, trigger, output, reason } = run;
    const took = tookOf(run, now);
    return html`<tr><td>${stateMarkup(state)}</td><td>${subject}</td><td class="number">${iso(startedAt ?? queuedAt)}</td><td class="number">${took === undefined ? "" : duration(took)}</td><td class="number">${exitCode}</td><td>${trigger}</td><td class="number">${size(output.bytes)}</td><td>${reason}</td><td>${id}</td></tr>
`;
  });
  return html`<h2>All runs</h2>
<div class="wide"><table>
<thead><tr><th>State</th><th>What</th><th class="number">Time</th><th class="number">Took</th><th class="number">Exit</th><th>Trigger</th><th class="number">Output</th><th>Reason</th><th>ID</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}
