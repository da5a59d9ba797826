/** Runs as a page in one file: how many ended how, how long each took, and a table of all. */
import type { RunSummary } from "../../daemon/http/control/api.js";
import { html, type Markup } from "./html.js";
import { stateWord } from "./layout.js";
import { barChart, isoTime, reportFacts, reportPage, reportTable, stateMarkup } from "./report.js";
import { stateLook } from "./states.js";
import { countText, duration, size } from "./units.js";

/** `runs`: newest first. */
export function runsPage(runs: readonly RunSummary[], now: number): string {
  return reportPage("Runs", [stateCounts(runs), chart(runs, now), runTable(runs, now)], now);
}

function stateCounts(runs: readonly RunSummary[]): Markup {
  const counts = [...Map.groupBy(runs, ({ state }) => state)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const facts = counts.map(([state, all]) => html`${stateMarkup(state)} ${all.length}`);
  return reportFacts([countText(runs.length, "run"), ...facts]);
}

const tookOf = ({ startedAt, finishedAt }: RunSummary, now: number): number | undefined =>
  startedAt === undefined ? undefined : Math.max(0, (finishedAt ?? now) - startedAt);

/** A bar for each run, the newest on the right. */
function chart(runs: readonly RunSummary[], now: number): Markup {
  const shown = runs.filter(({ startedAt }) => startedAt !== undefined).toReversed();
  const timeOf = ({ startedAt, queuedAt }: RunSummary) => isoTime(startedAt ?? queuedAt);
  const [first] = shown;
  return barChart({
    title: "How long each took",
    label: "Time of each run, oldest first; the table below has the numbers",
    bars: shown.map((run) => {
      const took = tookOf(run, now) ?? 0;
      return {
        // A run without a measurable time is there, too.
        parts: [{ role: stateLook(run.state).role, value: Math.max(took, 0.001) }],
        about: `${run.subject} ${stateWord(run.state)}, ${duration(took)}, ${timeOf(run)}`,
      };
    }),
    format: duration,
    from: first === undefined ? "" : timeOf(first),
    to: "newest",
  });
}

const runTable = (runs: readonly RunSummary[], now: number): Markup =>
  reportTable<RunSummary>(
    "All runs",
    [
      { title: "State", cell: ({ state }) => stateMarkup(state) },
      { title: "What", cell: ({ subject }) => subject },
      {
        title: "Time",
        isNumber: true,
        cell: ({ startedAt, queuedAt }) => isoTime(startedAt ?? queuedAt),
      },
      {
        title: "Took",
        isNumber: true,
        cell: (run) => {
          const took = tookOf(run, now);
          return took === undefined ? "" : duration(took);
        },
      },
      { title: "Exit", isNumber: true, cell: ({ exitCode }) => exitCode },
      { title: "Trigger", cell: ({ trigger }) => trigger },
      { title: "Output", isNumber: true, cell: ({ output }) => size(output.bytes) },
      { title: "Reason", cell: ({ reason }) => reason },
      { title: "ID", cell: ({ id }) => id },
    ],
    runs,
  );
