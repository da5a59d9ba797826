/** Columns of tables that more than one screen has. */
import type { PluginStatus, RunSummary } from "../../../daemon/http/control/api.js";
import { pluginColumns } from "../../print/plugins.js";
import { runColumns } from "../../print/runs.js";
import { ratio, size } from "../../print/units.js";
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

/** What stays, or is there from the first row on, comes first: nothing moves aside for a reason. */
const order = [
  "STATE",
  "WHAT",
  "HOST",
  "WHEN",
  "TOOK",
  "EXIT",
  "OUTPUT",
  "TRIGGER",
  "REASON",
  "ID",
];

/** Columns of the screen for words that change while one looks. */
export const LEAST = { when: 8, duration: 8, size: 8, state: 9 } as const;
const RUN_LEAST: Readonly<Record<string, number>> = {
  ...{ STATE: LEAST.state, WHEN: LEAST.when, TOOK: LEAST.duration, EXIT: 7, OUTPUT: LEAST.size },
};

/** The columns of `reeve runs`, the most important ones for a viewer first. */
export function runListColumns(
  theme: Theme,
  now: number,
  runs: readonly RunSummary[],
): ReadonlyArray<ListColumn<RunSummary>> {
  return runColumns(theme, now, runs)
    .map((column): ListColumn<RunSummary> => {
      const value = RUN_VALUES[column.title];
      return {
        ...column,
        ...(value && { value: (run: RunSummary) => value(run, now) }),
        least: RUN_LEAST[column.title] ?? 0,
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
  const columns = pluginColumns(theme, now).map((column): ListColumn<PluginStatus> => {
    const value = PLUGIN_VALUES[column.title];
    const own = { ...column, ...(value && { value }), least: PLUGIN_LEAST[column.title] ?? 0 };
    // The process has columns of its own here.
    return column.title === "ISOLATION"
      ? { ...own, cell: ({ isolation }) => isolation, least: 9 }
      : own;
  });
  const at = columns.findIndex(({ title }) => title === "ISOLATION") + 1;
  return columns.toSpliced(at, 0, ...PROCESS_COLUMNS);
}

const PLUGIN_LEAST: Readonly<Record<string, number>> = {
  ...{ STATE: 11, HEALTH: 8, SINCE: LEAST.duration },
};

/** Of a plugin in a worker or a process of its own; one in the daemon's has none. */
export const PROCESS_COLUMNS: ReadonlyArray<ListColumn<PluginStatus>> = [
  {
    title: "PID",
    cell: ({ pid }) => (pid === undefined ? "" : String(pid)),
    align: "right",
    priority: 6,
  },
  {
    title: "HEAP",
    cell: ({ heap }) => (heap === undefined ? "" : size(heap)),
    value: ({ heap }) => (heap === undefined ? undefined : -heap),
    align: "right",
    least: LEAST.size,
    priority: 5,
  },
  {
    title: "CPU",
    cell: ({ cpu }) => (cpu === undefined ? "" : ratio(cpu)),
    value: ({ cpu }) => (cpu === undefined ? undefined : -cpu),
    align: "right",
    least: 5,
    priority: 5,
  },
];

/** What the finder calls a run. */
export const runName = ({ subject }: RunSummary): string => subject;

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
