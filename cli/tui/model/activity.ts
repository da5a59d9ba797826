/** What runs of the last hour tell at a glance: when they were, how they ended, and how long the next one may take. */
import type { RunSummary } from "../../../daemon/http/control/api.js";

type RunState = RunSummary["state"];

interface ActivityCell {
  readonly runs: number;
  /** The state that matters most; absent where there is no run. */
  readonly worst: RunState | undefined;
}

/** The runs of one block in the last hour. */
export interface Activity {
  /** A block's key: `hook.deploy`. */
  readonly subject: string;
  readonly runs: number;
  /** Oldest first. */
  readonly cells: readonly ActivityCell[];
}

/** Milliseconds that activities cover. */
export const ACTIVITY_SPAN = 60 * 60_000;

/** The more to the right, the more it matters. */
const SEVERITY: readonly RunState[] = [
  ...(["succeeded", "queued", "running", "cancelled"] as const),
  ...(["interrupted", "timed_out", "failed"] as const),
];

export const runTime = ({ startedAt, queuedAt }: RunSummary): number => startedAt ?? queuedAt;

/** One for each block that ran in the last hour, by its key. `runs` are newest first; each cell covers the same time. */
export function activities(
  runs: readonly RunSummary[],
  now: number,
  cells: number,
): readonly Activity[] {
  const width = ACTIVITY_SPAN / cells;
  // Cells keep their limits while time passes, so that a run does not move between two of them.
  const end = Math.ceil(now / width) * width;
  const found = new Map<string, ActivityCell[]>();
  for (const run of runs) {
    // Runs are ordered by when they were queued; one may have started much later.
    if (run.queuedAt < end - 2 * ACTIVITY_SPAN) break;
    const index = cells - 1 - Math.floor((end - 1 - runTime(run)) / width);
    if (index < 0 || index >= cells) continue;
    let row = found.get(run.subject);
    if (row === undefined) {
      row = Array.from({ length: cells }, () => ({ runs: 0, worst: undefined }));
      found.set(run.subject, row);
    }
    const { runs: before = 0, worst } = row[index] ?? {};
    row[index] = { runs: before + 1, worst: worseOf(worst, run.state) };
  }
  return [...found]
    .map(([subject, row]) => ({
      subject,
      runs: row.reduce((sum, cell) => sum + cell.runs, 0),
      cells: row,
    }))
    .sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

const worseOf = (a: RunState | undefined, b: RunState): RunState =>
  a !== undefined && SEVERITY.indexOf(a) >= SEVERITY.indexOf(b) ? a : b;

/** What the newest runs say; computed once for the same array. */
export interface RunDigest {
  /** Queued and running, the oldest first: those are about to end, or hang. */
  readonly active: readonly RunSummary[];
  /** The latest that failed, timed out or were interrupted, newest first; `MOST_FAILED` at most. */
  readonly failed: readonly RunSummary[];
  /** Milliseconds: the median of the latest successful runs of a block; `undefined` without any. */
  usualDuration(subject: string): number | undefined;
}

const MOST_FAILED = 50;
const BAD: ReadonlySet<RunState> = new Set(["failed", "timed_out", "interrupted"]);
const digests = new WeakMap<readonly RunSummary[], RunDigest>();

export function digestOf(runs: readonly RunSummary[]): RunDigest {
  let digest = digests.get(runs);
  if (digest === undefined) {
    const usual = new Map<string, number | undefined>();
    const failed: RunSummary[] = [];
    for (const run of runs) {
      if (BAD.has(run.state) && failed.push(run) === MOST_FAILED) break;
    }
    digest = {
      active: runs
        .filter(({ state }) => state === "running" || state === "queued")
        .sort((a, b) => startOf(a) - startOf(b) || a.queuedAt - b.queuedAt),
      failed,
      usualDuration(subject) {
        if (!usual.has(subject)) usual.set(subject, usualDuration(runs, subject));
        return usual.get(subject);
      },
    };
    digests.set(runs, digest);
  }
  return digest;
}

/** Queued runs come last. */
const startOf = ({ startedAt = Number.MAX_SAFE_INTEGER }: RunSummary): number => startedAt;

/** Runs of a block that its usual duration is derived from. */
const ENOUGH = 20;

function usualDuration(runs: readonly RunSummary[], subject: string): number | undefined {
  const durations: number[] = [];
  for (const { subject: own, state, startedAt, finishedAt } of runs) {
    if (own !== subject || state !== "succeeded") continue;
    if (startedAt === undefined || finishedAt === undefined) continue;
    if (durations.push(finishedAt - startedAt) === ENOUGH) break;
  }
  return durations.sort((a, b) => a - b)[durations.length >> 1];
}

/** Runs that started in each minute of the last hour, oldest first. */
export function runsPerMinute(all: readonly Activity[]): readonly number[] {
  const [first] = all;
  if (first === undefined) return [];
  return first.cells.map((_, index) =>
    all.reduce((sum, { cells }) => sum + (cells[index]?.runs ?? 0), 0),
  );
}
