/** Runs as they are known: what is asked for anew takes the place of what was known before. */
import type { RunSummary } from "../../../daemon/http/control/api.js";

/** Runs that are kept: more than anybody scrolls through. */
export const MOST_RUNS = 100_000;

/**
 * `page` are the newest runs; `known` may go further back. Both newest first. Where nothing has changed it is `known`
 * itself, and runs that have not changed are the same objects.
 */
export function withNewest(
  known: readonly RunSummary[],
  page: readonly RunSummary[],
): readonly RunSummary[] {
  const before = new Map(known.slice(0, page.length + SLACK).map((run) => [run.id, run]));
  const fresh = page.map((run) => {
    const old = before.get(run.id);
    return old && isSame(old, run) ? old : run;
  });
  const oldest = page.at(-1)?.id;
  const from = oldest === undefined ? -1 : known.findIndex(({ id }) => id === oldest);
  // Without an overlap there is a gap: what is older would seem to follow and does not.
  const older = from < 0 ? [] : known.slice(from + 1);
  if (older.length + fresh.length === known.length && fresh.every((run, i) => run === known[i])) {
    return known;
  }
  return [...fresh, ...older].slice(0, MOST_RUNS);
}

/** More may have come since than there are on a page. */
const SLACK = 1000;

const isSame = (a: RunSummary, b: RunSummary): boolean =>
  a.state === b.state && a.startedAt === b.startedAt && a.output.bytes === b.output.bytes;
