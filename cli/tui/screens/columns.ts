/** Columns of tables that more than one screen has. */
import type { PluginStatus, RunSummary } from "../../../daemon/http/control/api.js";
import { pluginColumns } from "../../show/plugins.js";
import { runColumns } from "../../show/runs.js";
import type { ListColumn } from "../view/list.js";
import type { Theme } from "../view/theme.js";

const RUN_VALUES: Readonly<
  Record<string, (run: RunSummary, now: number) => string | number | undefined>
> = {
  WHEN: ({ startedAt, queuedAt }) => -(startedAt ?? queuedAt),
  TOOK: ({ startedAt, finishedAt }, now) =>
    startedAt === undefined ? undefined : startedAt - (finishedAt ?? now),
  EXIT: ({ exitCode }) => exitCode,
  OUTPUT: ({ output }) => -output.bytes,
};

const order = ["STATE", "WHAT", "WHEN", "TOOK", "EXIT", "TRIGGER", "REASON", "OUTPUT", "ID"];

/** Runs as `reeve runs` has them, what matters to somebody who watches first. */
export function runListColumns(theme: Theme, now: number): ReadonlyArray<ListColumn<RunSummary>> {
  return runColumns(theme, now)
    .map((column): ListColumn<RunSummary> => {
      const value = RUN_VALUES[column.title];
      return {
        ...column,
        ...(value && { value: (run: RunSummary) => value(run, now) }),
        ...(column.title === "ID" && { priority: 8 }),
      };
    })
    .sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title));
}

const PLUGIN_VALUES: Readonly<Record<string, (plugin: PluginStatus) => number>> = {
  BLOCKS: ({ blocks }) => -blocks,
  RESTARTS: ({ restarts }) => -restarts,
  SINCE: ({ since }) => -since,
};

export function pluginListColumns(
  theme: Theme,
  now: number,
): ReadonlyArray<ListColumn<PluginStatus>> {
  return pluginColumns(theme, now).map((column): ListColumn<PluginStatus> => {
    const value = PLUGIN_VALUES[column.title];
    return { ...column, ...(value && { value }) };
  });
}

/** What a filter looks at. */
export const runParts = ({ id, kind, subject, state, trigger, reason }: RunSummary) => [
  id,
  kind,
  subject,
  state,
  trigger,
  reason,
];
export const runText = (run: RunSummary): string => runParts(run).join(" ");

export const pluginText = ({ id, title, state, isolation, health }: PluginStatus): string =>
  [id, title, state, isolation, health.state, health.reason].join(" ");
