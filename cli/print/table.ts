/** Rows as a table that fits the terminal: the least important columns go first, then the widest is cut. */
import { terminalWidth } from "../../grammar/rendering/width.js";
import { cut, oneLine, pad } from "./text.js";

export interface TableColumn<Row> {
  readonly title: string;
  /** May come from anywhere: it is made fit for a terminal here. */
  readonly cell: (row: Row) => string;
  /** @default "left" */
  readonly align?: "left" | "right";
  /**
   * Columns with a higher number are dropped first when the screen is narrow, of equals the last, and any above 0 where all its cells are
   * empty. 0 is never dropped.
   * @default 0
   */
  readonly priority?: number;
  /** May be cut down to this many columns of the screen. Absent: never cut. */
  readonly shrink?: number;
  /** Takes so much room where there is enough, so that columns stay where they are while their cells change. */
  readonly least?: number;
  /** Paints a cell that has its final width; adds nothing visible, for colour alone says nothing. */
  readonly paint?: (text: string, row: Row) => string;
}

export interface TextTableOptions {
  /** Columns of the terminal; `undefined` without one: nothing is dropped or cut. */
  readonly width: number | undefined;
  /** Paints the line of titles. */
  readonly heading?: (text: string) => string;
  /** Marks one title, for its column; adds nothing visible. */
  readonly title?: (text: string, column: object) => string;
}

const GAP = "  ";

interface Laid<Row> {
  readonly column: TableColumn<Row>;
  readonly texts: readonly string[];
  /** What its cells need. */
  readonly natural: number;
  width: number;
}

/** Lines without a line break at their end: the titles, then a line a row. */
export function table<Row>(
  columns: ReadonlyArray<TableColumn<Row>>,
  rows: readonly Row[],
  { width, heading = (text) => text, title = (text) => text }: TextTableOptions,
): readonly string[] {
  const laid = columns.map((column): Laid<Row> => {
    const texts = rows.map((row) => oneLine(column.cell(row)));
    const natural = Math.max(0, ...[column.title, ...texts].map(terminalWidth));
    const least = width === undefined ? 0 : (column.least ?? 0);
    return { column, texts, natural, width: Math.max(natural, least) };
  });
  const informative = laid.filter(isInformative);
  const shown = width === undefined ? informative : fitted(informative, width);
  const line = (cell: (each: Laid<Row>) => string) => shown.map(cell).join(GAP).trimEnd();
  return [
    heading(
      line(({ column, width }) =>
        title(pad(cut(column.title, width), width, column.align), column),
      ),
    ),
    ...rows.map((row, index) =>
      line(({ column, texts, width }) => {
        const text = pad(cut(texts[index] ?? "", width), width, column.align);
        return column.paint ? column.paint(text, row) : text;
      }),
    ),
  ];
}

/** A column that may be dropped and has nothing to say only takes room; without rows the titles say what there could be. */
function isInformative<Row>({ column, texts }: Laid<Row>): boolean {
  return !column.priority || texts.length === 0 || texts.some((text) => text !== "");
}

function fitted<Row>(laid: ReadonlyArray<Laid<Row>>, room: number): ReadonlyArray<Laid<Row>> {
  let shown = laid;
  while (total(smallest(shown)) > room) {
    const least = Math.max(...shown.map(({ column }) => column.priority ?? 0));
    if (least === 0) break;
    const last = shown.findLastIndex(({ column }) => (column.priority ?? 0) === least);
    shown = shown.toSpliced(last, 1);
  }
  for (let over = total(shown.map(({ width }) => width)) - room; over > 0; over -= 1) {
    const widest =
      widestOf(shown.filter(({ column, width }) => width > (column.shrink ?? width))) ??
      widestOf(shown.filter(({ natural, width }) => width > natural));
    if (!widest) break;
    widest.width -= 1;
  }
  return shown;
}

function widestOf<Row>(laid: ReadonlyArray<Laid<Row>>): Laid<Row> | undefined {
  return laid.reduce<Laid<Row> | undefined>(
    (most, each) => (most && most.width >= each.width ? most : each),
    undefined,
  );
}

/** The widths at which a column is still worth showing. */
function smallest<Row>(laid: ReadonlyArray<Laid<Row>>): readonly number[] {
  return laid.map(({ column, width }) => Math.min(width, column.shrink ?? width));
}

function total(widths: readonly number[]): number {
  return (
    widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1)
  );
}
