/** Lists of any length: only what is seen is laid out; what was filtered and sorted is kept until something changes. */
import { stripVTControlCharacters } from "node:util";
import { type TableColumn, table } from "../../print/table.js";
import { cut } from "../../print/text.js";
import type { Theme } from "./theme.js";

/** Filter and order of a list. */
export interface ListOptions {
  /** Only rows with this text; case does not matter. */
  readonly filter: string;
  /** Index of a column. Absent: the list's own order. */
  readonly sort?: number;
  readonly reverse: boolean;
}

export interface ScreenList {
  readonly size: number;
  /** Before it was filtered. */
  readonly total: number;
  /** Titles of columns that it can be sorted by. */
  readonly columns: readonly string[];
  idAt(index: number): string | undefined;
  /** -1 where it is not there (any more). */
  indexOf(id: string): number;
  /** The heading, if there is one, and rows as lines. */
  lay(from: number, count: number, width: number): { heading?: string; rows: readonly string[] };
}

export interface ListColumn<Row> extends TableColumn<Row> {
  /** What it is sorted by. @default the cell's text */
  readonly value?: (row: Row) => string | number | undefined;
}

export interface TableSource<Row extends object> {
  /** The same array as long as nothing has changed. */
  readonly rows: readonly Row[];
  readonly columns: ReadonlyArray<ListColumn<Row>>;
  readonly id: (row: Row) => string;
  /** What a filter looks at. */
  readonly text: (row: Row) => string;
  /** What `text` joins with spaces, for long lists. */
  readonly parts?: (row: Row) => ReadonlyArray<string | undefined>;
  readonly theme: Theme;
}

export function tableList<Row extends object>(
  source: TableSource<Row>,
  options: ListOptions,
): ScreenList {
  const { columns, id, theme } = source;
  const rows = arranged(source, options);
  return {
    size: rows.length,
    total: source.rows.length,
    columns: columns.map(({ title }) => title),
    idAt: (index) => {
      const row = rows[index];
      return row && id(row);
    },
    indexOf: (wanted) => rows.findIndex((row) => id(row) === wanted),
    lay(from, count, width) {
      const heading = (text: string) => theme.paint("bold", text);
      const [first = "", ...lines] = table(columns, rows.slice(from, from + count), {
        width,
        heading,
      });
      return { heading: first, rows: lines };
    },
  };
}

/** A list of finished lines. A filter keeps those that contain its text. */
export function lineList(
  lines: readonly string[],
  { filter }: Pick<ListOptions, "filter">,
): ScreenList {
  const wanted = filter.toLowerCase();
  const kept = lines
    .map((line, index) => ({ line, id: String(index) }))
    .filter(
      ({ line }) => wanted === "" || stripVTControlCharacters(line).toLowerCase().includes(wanted),
    );
  return {
    size: kept.length,
    total: lines.length,
    columns: [],
    idAt: (index) => kept[index]?.id,
    indexOf: (id) => kept.findIndex((line) => line.id === id),
    lay: (from, count, width) => ({
      rows: kept
        .slice(from, from + count)
        .map(({ line }) => (filter === "" ? line : cut(line, width))),
    }),
  };
}

interface Arranged {
  readonly key: string;
  readonly rows: readonly object[];
}
/** What a filter has left of rows. */
interface Narrowed {
  readonly wanted: string;
  readonly rows: readonly object[];
}
const arrangements = new WeakMap<readonly object[], Arranged>();
const narrowings = new WeakMap<readonly object[], Narrowed>();

function arranged<Row extends object>(
  source: TableSource<Row>,
  { filter, sort, reverse }: ListOptions,
): readonly Row[] {
  const { rows, columns } = source;
  const key = JSON.stringify([filter, sort, reverse]);
  const kept = arrangements.get(rows);
  if (kept?.key === key) return kept.rows as readonly Row[];
  const wanted = filter.toLowerCase();
  const filtered = wanted === "" ? rows : filteredBy(wanted, source);
  const column = sort === undefined ? undefined : columns[sort];
  const sorted = column ? sortedBy(filtered, column) : filtered;
  const result = reverse ? sorted.toReversed() : sorted;
  arrangements.set(rows, { key, rows: result });
  return result;
}

/** A longer filter looks only at what the shorter one before it has left. */
function filteredBy<Row extends object>(
  wanted: string,
  { rows, text, parts }: Pick<TableSource<Row>, "rows" | "text" | "parts">,
): readonly Row[] {
  const before = narrowings.get(rows);
  const candidates = before && wanted.includes(before.wanted) ? (before.rows as Row[]) : rows;
  const has = (own: string | undefined) => own?.toLowerCase().includes(wanted) ?? false;
  // Parts that are not joined cost a fifth; only a text with a space can lie across two.
  const left =
    parts && !wanted.includes(" ")
      ? candidates.filter((row) => parts(row).some(has))
      : candidates.filter((row) => has(text(row)));
  narrowings.set(rows, { wanted, rows: left });
  return left;
}

function sortedBy<Row>(rows: readonly Row[], { value, cell }: ListColumn<Row>): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: value ? value(row) : cell(row) }));
  return keyed.sort((a, b) => compared(a.key, b.key)).map(({ row }) => row);
}

/** Numbers by size, texts by alphabet, what is not there last. */
function compared(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) !== String(b));
}
