/** Copies what a damaged database still holds into a new one: every table from both ends, as far as its rows can be read. */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { errorMessage } from "../../errors.js";

export interface Salvaged {
  readonly rows: number;
  /** What could not be read: parts of sentences. */
  readonly unread: readonly string[];
}

interface TableLayout {
  readonly name: string;
  /** What its rows are ordered by. */
  readonly order: readonly string[];
  /** Columns that name a row. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

type Row = Record<string, SQLInputValue>;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Never throws: a file that cannot be read at all yields nothing. */
export function salvage(from: string, to: string): Salvaged {
  let source: DatabaseSync | undefined;
  const target = new DatabaseSync(to);
  try {
    source = new DatabaseSync(from, { readOnly: true });
    const schema = source
      .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
      .all()
      .map(({ type, name, sql }) => ({ type, name: String(name), sql: String(sql) }));
    const tables = schema.filter(
      ({ type, name }) => type === "table" && !name.startsWith("sqlite_"),
    );
    target.exec("PRAGMA synchronous = OFF; BEGIN");
    const results = tables.map(({ name, sql }) => {
      target.exec(sql);
      return copy(source as DatabaseSync, target, name);
    });
    for (const each of schema.filter(({ type }) => type !== "table")) target.exec(each.sql);
    const version = source.prepare("PRAGMA user_version").get()?.user_version;
    target.exec(`PRAGMA user_version = ${Number(version ?? 0)}; COMMIT`);
    return {
      rows: results.reduce((sum, { rows }) => sum + rows, 0),
      unread: results.flatMap(({ unread }) => unread),
    };
  } catch (thrown) {
    if (target.isTransaction) target.exec("ROLLBACK");
    return { rows: 0, unread: [`all tables (${errorMessage(thrown)})`] };
  } finally {
    source?.close();
    target.close();
  }
}

function copy(source: DatabaseSync, target: DatabaseSync, name: string): Salvaged {
  const table = layoutOf(target, name);
  const names = table.columns.map(quoted).join(", ");
  const marks = table.columns.map(() => "?").join(", ");
  const insert = target.prepare(
    `INSERT OR IGNORE INTO ${quoted(name)} (${names}) VALUES (${marks})`,
  );
  let rows = 0;
  let refused = 0;
  const take = (row: Row): void => {
    try {
      rows += Number(insert.run(...table.columns.map((column) => row[column] ?? null)).changes);
    } catch {
      refused += 1;
    }
  };
  const last = read(source, table, "ASC", take);
  const unread: string[] = [];
  if (last.failed) {
    const first = read(source, table, "DESC", take);
    unread.push(`rows of the table ${name} ${between(last.key, first.key)}`);
  }
  if (refused > 0) unread.push(`${refused} rows of the table ${name} with invalid values`);
  return { rows, unread };
}

const between = (after: string | undefined, before: string | undefined): string => {
  const parts = [after && `after ${after}`, before && `before ${before}`].filter(Boolean);
  return parts.length === 0 ? "(all of them)" : parts.join(" and ");
};

function layoutOf(target: DatabaseSync, name: string): TableLayout {
  const columns = target.prepare(`PRAGMA table_info(${quoted(name)})`).all();
  const withoutRowid = target
    .prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?")
    .get(name)?.wr;
  const primary = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a.pk) - Number(b.pk))
    .map((column) => String(column.name));
  const names = columns.map((column) => String(column.name));
  return {
    name,
    order: withoutRowid ? primary.map(quoted) : ["rowid"],
    key: primary.length > 0 ? primary : names,
    columns: names,
  };
}

/** Reads until the end or the first damage. `key`: of the last row that could be read. */
function read(
  source: DatabaseSync,
  { name, order: by, key }: TableLayout,
  order: "ASC" | "DESC",
  take: (row: Row) => void,
): { readonly failed: boolean; readonly key: string | undefined } {
  let last: string | undefined;
  try {
    const statement = source.prepare(
      `SELECT * FROM ${quoted(name)} ORDER BY ${by.map((each) => `${each} ${order}`).join(", ")}`,
    );
    statement.setReadBigInts(true);
    for (const row of statement.iterate() as Iterable<Row>) {
      take(row);
      last = `\`${key.map((each) => String(row[each]).slice(0, 64)).join("/")}\``;
    }
    return { failed: false, key: last };
  } catch {
    return { failed: true, key: last };
  }
}
