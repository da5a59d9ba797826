/** The rows of all databases in a state directory that no daemon uses, and whether a finding of damage names one of them. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** By database and table: by key, in their order, the rows as JSON. */
export type StateRows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Its position in the journal is no row that anything was acknowledged by. */
const left = new Set(["journal"]);

export function stateRows(state: string): StateRows {
  const found = new Map<string, ReadonlyMap<string, string>>();
  const plugins = join(state, "plugins");
  const files = (existsSync(plugins) ? readdirSync(plugins) : []).map((name) =>
    join("plugins", name, "tables.sqlite"),
  );
  for (const file of ["reeve.db", ...files].filter((name) => existsSync(join(state, name)))) {
    const database = new DatabaseSync(join(state, file), { readOnly: true });
    try {
      const tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map(({ name }) => String(name))
        .filter((name) => !name.startsWith("sqlite_") && !left.has(name));
      for (const table of tables) found.set(`${file} ${table}`, rowsOf(database, table));
    } finally {
      database.close();
    }
  }
  return found;
}

function rowsOf(database: DatabaseSync, table: string): ReadonlyMap<string, string> {
  const columns = database.prepare(`PRAGMA table_info("${table}")`).all();
  const key = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a.pk) - Number(b.pk))
    .map(({ name }) => String(name));
  const rows = database.prepare(`SELECT * FROM "${table}"`).all();
  return new Map(
    rows.map((row) => [key.map((name) => String(row[name])).join("/"), JSON.stringify(row)]),
  );
}

/** A row that is not what it was. */
interface LostRow {
  readonly table: string;
  readonly key: string;
  /** All of the table, in their order. */
  readonly keys: readonly string[];
  /** Whether it is there, with another content. */
  readonly isChanged: boolean;
}

/** Whether a finding says that it is missing, or of a changed one that it may be older. */
export function isNamed(
  findings: readonly string[],
  { table, key, keys, isChanged }: LostRow,
): boolean {
  const [file = "", name = ""] = table.split(" ");
  return findings.some((finding) => {
    if (finding.includes(key) && name.startsWith("run") && finding.includes("journal")) return true;
    if (!finding.includes(file)) return finding.includes("The journal") && name.startsWith("run");
    if (/Missing: .*its last( \d+)? commits?/.test(finding)) return true;
    // When it was made is not known any more.
    if (isChanged) return name === "reeve_migrations";
    if (/Missing: .*all tables/.test(finding)) return true;
    return [...finding.matchAll(rangePattern)].some(([, of, all, after, before]) => {
      if (of !== name) return false;
      if (all !== undefined) return true;
      const at = keys.indexOf(key);
      const from = after === undefined ? -1 : keys.indexOf(after);
      const to = before === undefined ? keys.length : keys.indexOf(before);
      return at > from && at < to;
    });
  });
}

const rangePattern =
  /rows of the table (\S+) (?:(\(all of them\))|(?:after `([^`]*)`)?(?: and )?(?:before `([^`]*)`)?)/g;
