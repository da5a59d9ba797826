import type { Metrics } from "../plugin-api/context.js";

/** The metrics of the source, below `reeve_source_`. */
export type SourceMetrics = ReturnType<typeof createSourceMetrics>;

export function createSourceMetrics(metrics: Metrics) {
  const info = metrics.gauge("info", "Always 1; the label is the commit that runs.", ["commit"]);
  const time = metrics.gauge("applied_timestamp_seconds", "When the commit that runs was applied.");
  let last: string | undefined;
  return {
    polls: metrics.counter("polls_total", "Polls of the repository, by result.", ["result"]),
    refused: metrics.counter("refused_total", "Commits that were refused, by reason.", ["code"]),
    contact: metrics.gauge("last_contact_timestamp_seconds", "When the repository answered last."),
    applies: metrics.counter("applies_total", "Commits that were applied."),
    runs(commit: string, at: number): void {
      if (last !== undefined) info.remove({ commit: last });
      last = commit;
      info.set(1, { commit });
      time.set(at / 1000);
    },
  };
}
