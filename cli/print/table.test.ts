import test from "ava";
import stringWidth from "string-width";
import { type TableColumn, table } from "./table.js";
import { cut, manyLines, oneLine, pad } from "./text.js";

interface Row {
  readonly id: string;
  readonly what: string;
  readonly took: string;
}

const columns: ReadonlyArray<TableColumn<Row>> = [
  { title: "ID", cell: ({ id }) => id },
  { title: "WHAT", cell: ({ what }) => what, shrink: 8 },
  { title: "TOOK", cell: ({ took }) => took, align: "right", priority: 1 },
];
const rows: readonly Row[] = [
  { id: "a1", what: 'hook "deploy-the-site"', took: "3.4s" },
  { id: "a2", what: 'hook "x"', took: "12ms" },
];

test("columns are as wide as what is in them, numbers stand at the right", (t) => {
  t.deepEqual(table(columns, rows, { width: undefined }), [
    "ID  WHAT                    TOOK",
    'a1  hook "deploy-the-site"  3.4s',
    'a2  hook "x"                12ms',
  ]);
});

test("what may be cut is cut before anything is dropped", (t) => {
  t.deepEqual(table(columns, rows, { width: 24 }), [
    "ID  WHAT            TOOK",
    'a1  hook "deploy-…  3.4s',
    'a2  hook "x"        12ms',
  ]);
});

test("a column of low priority goes when the rest would be too narrow", (t) => {
  t.deepEqual(table(columns, rows, { width: 16 }), [
    "ID  WHAT",
    'a1  hook "deplo…',
    'a2  hook "x"',
  ]);
});

test("of columns of the same priority the last goes first, and only as many as must", (t) => {
  const equal = [...columns, { title: "MORE", cell: () => "yes", priority: 1 }];
  t.regex(table(equal, rows, { width: 24 })[0] ?? "", /TOOK +MORE$/);
  t.regex(table(equal, rows, { width: 22 })[0] ?? "", /TOOK$/);
});

test("a column keeps the least room it asks for where there is a screen, and gives it back when it must", (t) => {
  const wide = columns.map((column) => (column.title === "ID" ? { ...column, least: 6 } : column));
  t.is(table(wide, rows, { width: 40 })[0], "ID      WHAT                    TOOK");
  t.is(table(wide, rows, { width: 16 })[0], "ID      WHAT");
  t.is(table(wide, rows, { width: 12 })[0], "ID  WHAT");
  t.is(table(wide, rows, { width: undefined })[0], "ID  WHAT                    TOOK");
});

test("a column that says nothing is dropped, unless it must stay", (t) => {
  const silent = rows.map((row) => ({ ...row, what: "", took: "" }));
  t.deepEqual(table(columns, silent, { width: undefined }), ["ID  WHAT", "a1", "a2"]);
});

test("no line is wider than the screen as long as the columns that must stay fit", (t) => {
  for (let width = 12; width < 60; width += 1) {
    for (const line of table(columns, rows, { width })) t.true(stringWidth(line) <= width);
  }
});

test("a table without rows still has its titles", (t) => {
  t.deepEqual(table(columns, [], { width: 80 }), ["ID  WHAT  TOOK"]);
});

test("paint changes no width", (t) => {
  const [, line] = table(
    [{ title: "STATE", cell: () => "ok", paint: (text) => `<${text}>` }, columns[0] as never],
    [rows[0] as Row],
    { width: 80, heading: (text) => text },
  );
  t.is(line, "<ok   >  a1");
});

test("text from elsewhere cannot move the cursor, colour the screen or turn the reading direction", (t) => {
  t.is(oneLine("\u001b[31mred\u001b[0m\nand\ttab\u0007 \u202eevil"), "red and tab� �evil");
  t.is(manyLines("one\r\n\u001b[2Jtwo\tthree\u0008\n"), "one\ntwo\tthree�\n");
});

test("cutting counts columns of the screen, not characters", (t) => {
  t.is(cut("日本語テキスト", 7), "日本語…");
  t.is(cut("日本語テキスト", 6), "日本…");
  t.is(cut("short", 5), "short");
  t.is(cut("short", 0), "");
  t.is(pad("日本", 6), "日本  ");
  t.is(pad("7", 3, "right"), "  7");
});
