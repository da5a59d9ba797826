/**
 * What a plugin shows: data, never components. The dashboard, `--json` and the API render the same panels.
 */

export type Cell = string | number | boolean | null;

/** How a column's values are meant; it decides alignment and units on screen. */
export type ColumnFormat = "text" | "number" | "duration" | "size" | "ratio" | "time" | "state";

export interface Column {
  readonly id: string;
  readonly title: string;
  /** @default "text". `duration` is in milliseconds, `size` in bytes, `time` in milliseconds since the epoch. */
  readonly format?: ColumnFormat;
  /** Columns with a higher number are dropped first when the screen is narrow. @default 0 */
  readonly priority?: number;
}

interface PanelBase {
  /** Stable within the plugin. */
  readonly id: string;
  readonly title: string;
}

export interface TablePanel extends PanelBase {
  readonly kind: "table";
  readonly columns: readonly Column[];
  readonly rows: ReadonlyArray<Readonly<Record<string, Cell>>>;
  /** Rows that exist but are not listed. */
  readonly omitted?: number;
}

export interface SeriesPanel extends PanelBase {
  readonly kind: "series";
  readonly unit?: ColumnFormat;
  /** Milliseconds between two points. The last point is the newest. */
  readonly interval: number;
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: readonly number[] }>;
}

export interface KeyValuePanel extends PanelBase {
  readonly kind: "values";
  readonly entries: ReadonlyArray<{
    readonly name: string;
    readonly value: Cell;
    readonly format?: ColumnFormat;
  }>;
}

export interface LogPanel extends PanelBase {
  readonly kind: "log";
  /** Oldest first. */
  readonly lines: ReadonlyArray<{
    readonly at: number;
    readonly level: string;
    readonly text: string;
  }>;
}

export type Panel = TablePanel | SeriesPanel | KeyValuePanel | LogPanel;
