/** Lists of any length: only what is seen is laid out; what was filtered and sorted is kept until something changes. */
import { stripVTControlCharacters } from "node:util";
import { type TableColumn, table } from "../../print/table.js";
import { cut, oneLine } from "../../print/text.js";
import type { Theme } from "./theme.js";
import { zoned } from "./zones.js";

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
  /** What names a row, and all of its text; absent where a list has lines only. */
  rowAt?(index: number): ListedRow | undefined;
  /** The same rows as painted cells, without any layout; absent where a list has lines only. */
  cells?(from: number, count: number): ListCells;
}

interface ListedRow {
  readonly name: string;
  /** In small letters. */
  readonly text: string;
}

interface ListCells {
  /** `index`: of the column among all of the list. */
  readonly columns: ReadonlyArray<{
    readonly title: string;
    readonly isNumber: boolean;
    readonly index: number;
  }>;
  readonly rows: ReadonlyArray<{ readonly id: string; readonly cells: readonly string[] }>;
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
  /** What a row is called, for the finder. @default its id */
  readonly name?: (row: Row) => string;
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
  const { columns, id, theme, name = id, text } = source;
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
      const title = (text: string, column: object) =>
        zoned(theme, `sort:${columns.indexOf(column as ListColumn<Row>)}`, text);
      const shown = rows.slice(from, from + count);
      const [first = "", ...lines] = table(columns, shown, { width, heading, title });
      return { heading: first, rows: lines };
    },
    rowAt: (index) => {
      const row = rows[index];
      return row && listedRow(row, name, text);
    },
    cells: (from, count) => cellsOf(source, rows.slice(from, from + count)),
  };
}

const listed = new WeakMap<object, ListedRow & { readonly by: unknown }>();

/** Kept with the row: the finder looks at thousands for every key. */
function listedRow<Row extends object>(
  row: Row,
  name: (row: Row) => string,
  text: (row: Row) => string,
): ListedRow {
  const known = listed.get(row);
  if (known?.by === name) return known;
  const found = { by: name, name: oneLine(name(row)), text: oneLine(text(row)).toLowerCase() };
  listed.set(row, found);
  return found;
}

/** Columns that may be dropped are, where all their cells are empty, as in a table of text. */
function cellsOf<Row extends object>(
  { columns, id }: TableSource<Row>,
  rows: readonly Row[],
): ListCells {
  const laid = columns
    .map((column, index) => ({
      column,
      index,
      texts: rows.map((row) => oneLine(column.cell(row))),
    }))
    .filter(
      ({ column, texts }) => (column.priority ?? 0) === 0 || texts.some((text) => text !== ""),
    );
  return {
    columns: laid.map(({ column: { title, align }, index }) => ({
      ...{ title, index, isNumber: align === "right" },
    })),
    rows: rows.map((row, at) => ({
      id: id(row),
      cells: laid.map(({ column, texts }) => {
        const text = texts[at] ?? "";
        return column.paint ? column.paint(text, row) : text;
      }),
    })),
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
  // Nothing to keep: the finder looks at lists as they are, between frames of a list that is filtered.
  if (filter === "" && sort === undefined && !reverse) return rows;
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
