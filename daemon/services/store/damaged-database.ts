/** What becomes of a damaged database: it is kept under another name, what is whole of it takes its place, and what is missing is reported. */
import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Log } from "../../plugin-api/context.js";
import type { Inspection } from "./pages/inspect.js";
import { sumsOf } from "./pages/page-sums.js";
import { rebuild } from "./pages/rebuild.js";
import { walOf } from "./pages/wal.js";
import { salvage } from "./salvage.js";
import { syncPath } from "./state-damage.js";

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

/** A database that is to replace a damaged one: a start that finds it completes the replacement. */
const restoredOf = (path: string): string => `${path}.restored`;

/** Takes the pages that are whole, and of a table with other pages the rows that can be read. @throws an error of the operating system */
export function restore(options: DamagedDatabase, found: Inspection): void {
  const { path } = options;
  const [whole, made] = scratch(path);
  const missing = found.log.lost > 0 ? [commits(found.log.lost)] : [];
  if (found.isSchemaOlder) missing.push("perhaps its newest tables");
  if (found.bad.size === 0) {
    rebuild(path, found, made);
    replace(options, made, "its other content was restored", missing);
    return;
  }
  rebuild(path, found, whole);
  const { rows, unread } = salvage(whole, made);
  rmSync(whole);
  replace(options, made, copied(options, made, rows), [...unread, ...missing]);
}

/** For damage that SQLite finds, and nothing says where it is. @throws an error of the operating system */
export function salvageWhole(options: DamagedDatabase): void {
  const [, made] = scratch(options.path);
  const { rows, unread } = salvage(options.path, made);
  const unknown = ["perhaps some rows, and others may be changed"];
  replace(options, made, copied(options, made, rows), unread.length > 0 ? unread : unknown);
}

/** What a stop or a full disk has left of an earlier attempt. */
function scratch(path: string): readonly [whole: string, made: string] {
  const names = [`${path}.rebuilt`, `${path}.made`] as const;
  for (const name of names) rmSync(name, { force: true });
  return names;
}

/** The damaged files stay as they are until the new one is on the disk and what is missing is reported. */
function replace(
  options: DamagedDatabase,
  made: string,
  done: string,
  missing: readonly string[],
): void {
  const { path } = options;
  const kept = nameAside(options);
  for (const name of filesOf) if (existsSync(name(path))) keep(name(path), name(kept));
  syncPath(made);
  report(options, kept, done, missing);
  renameSync(made, restoredOf(path));
  finishRestore(path);
}

/** Puts a database in its place that was restored. Called before anything is read. @throws an error of the operating system */
export function finishRestore(path: string): void {
  if (!existsSync(restoredOf(path))) return;
  syncPath(dirname(path));
  for (const name of filesOf.slice(1)) rmSync(name(path), { force: true });
  syncPath(dirname(path));
  renameSync(restoredOf(path), path);
  syncPath(dirname(path));
}

/** The end of the log is gone; what is left is whole. @throws an error of the operating system */
export function noteOlder(options: DamagedDatabase, { sums, log }: Inspection): void {
  const { path } = options;
  const kept = nameAside(options);
  copyFileSync(path, kept);
  if (existsSync(walOf(path))) copyFileSync(walOf(path), walOf(kept));
  report(options, kept, "it goes on as it was before", [commits(log.lost)]);
  const { summed, pages, committed } = sums.state;
  const known = { ...committed, ...summed, size: pages, commits: 0 };
  sums.set({ committed: known, written: known });
}

const commits = (count: number): string =>
  count === 1 ? "its last commit" : `its last ${count} commits`;

function copied({ afterSalvage }: DamagedDatabase, made: string, rows: number): string {
  if (rows > 0 && afterSalvage) {
    const database = new DatabaseSync(made);
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

/** Of a database; itself first. */
const filesOf: ReadonlyArray<(path: string) => string> = [
  (path) => path,
  walOf,
  sumsOf,
  (path) => `${path}-shm`,
];

/** Under a second name, where the file system has links: it costs no room. */
function keep(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    copyFileSync(path, kept);
  }
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
