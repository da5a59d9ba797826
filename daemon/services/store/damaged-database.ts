/** What becomes of a damaged database: it is kept under another name, what is whole of it takes its place, and what is missing is reported. */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Log } from "../../plugin-api/context.js";
import type { Inspection } from "./pages/inspect.js";
import { sumsOf } from "./pages/page-sums.js";
import { rebuild } from "./pages/rebuild.js";
import { walOf } from "./pages/wal.js";
import { salvage } from "./salvage.js";

export interface DamagedDatabase {
  readonly path: string;
  readonly log: Log;
  /** For the name under which it is kept. */
  readonly now: () => number;
  /** Called with what is missing, in one sentence, before the database is used without it. */
  readonly damaged?: (what: string, kept?: string) => void;
  /** Statements for a database with rows of a damaged one. */
  readonly afterSalvage?: string;
}

/** Takes the pages that are whole, and of a table with other pages the rows that can be read. @throws an error of the operating system */
export function restore(options: DamagedDatabase, found: Inspection): void {
  const { path } = options;
  const kept = setAside(options);
  const whole = `${path}.rebuilt`;
  rebuild(kept, found, whole);
  const missing = found.log.lost > 0 ? [commits(found.log.lost)] : [];
  if (found.isSchemaOlder) missing.push("perhaps its newest tables");
  if (found.bad.size === 0) {
    renameSync(whole, path);
    report(options, kept, "its other content was restored", missing);
    return;
  }
  const { rows, unread } = salvage(whole, path);
  rmSync(whole);
  report(options, kept, copied(options, rows), [...unread, ...missing]);
}

/** For damage that SQLite finds, and nothing says where it is. @throws an error of the operating system */
export function salvageWhole(options: DamagedDatabase): void {
  const kept = setAside(options);
  const { rows, unread } = salvage(kept, options.path);
  const unknown = ["perhaps some rows, and others may be changed"];
  report(options, kept, copied(options, rows), unread.length > 0 ? unread : unknown);
}

/** The end of the log is gone; what is left is whole. @throws an error of the operating system */
export function noteOlder(options: DamagedDatabase, { sums, log }: Inspection): void {
  const { path } = options;
  const kept = nameAside(options);
  copyFileSync(path, kept);
  if (existsSync(walOf(path))) copyFileSync(walOf(path), walOf(kept));
  report(options, kept, "it goes on as it was before", [commits(log.lost)]);
  const { summed, pages, committed } = sums.state;
  sums.set({ committed: { ...committed, ...summed, size: pages, commits: 0 } });
}

const commits = (count: number): string =>
  count === 1 ? "its last commit" : `its last ${count} commits`;

function copied({ path, afterSalvage }: DamagedDatabase, rows: number): string {
  if (rows > 0 && afterSalvage) {
    const database = new DatabaseSync(path);
    try {
      database.exec(afterSalvage);
    } catch {
      // An older version wrote it, without the table.
    }
    database.close();
  }
  return `${rows} rows of it were copied`;
}

function nameAside({ path, now }: DamagedDatabase): string {
  const stamp = new Date(now()).toISOString().replace(/[:.]/g, "-");
  return `${path}.damaged-${stamp}`;
}

function setAside(options: DamagedDatabase): string {
  const { path } = options;
  const kept = nameAside(options);
  for (const name of [(of: string) => of, walOf, sumsOf, (of: string) => `${of}-shm`]) {
    if (existsSync(name(path))) renameSync(name(path), name(kept));
  }
  return kept;
}

/** For a row whose content makes no sense. */
export function reportRow(
  { path, log, damaged }: DamagedDatabase,
  table: string,
  key: readonly unknown[],
): void {
  const what = `A row in the database ${path} is damaged and not used. Missing: the row \`${key.join("/")}\` of the table ${table}.`;
  damaged?.(what);
  log.error(what, { path });
}

/** Where nothing is missing, there is nothing for a user to accept. */
function report(
  { path, log, damaged }: DamagedDatabase,
  kept: string,
  done: string,
  missing: readonly string[],
): void {
  const what = `The database ${path} is damaged: it is kept as ${kept}, and ${done}.`;
  if (missing.length === 0) {
    log.warn(`${what} Nothing is missing.`, { path, kept });
    return;
  }
  const all = `${what} Missing: ${missing.join("; ")}.`;
  damaged?.(all, kept);
  log.error(all, { path, kept });
}
