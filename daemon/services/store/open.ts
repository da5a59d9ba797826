/** Opens a database file: private, durable, and never in the way when it is damaged. */
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { constants, DatabaseSync } from "node:sqlite";
import {
  type DamagedDatabase,
  finishRestore,
  noteOlder,
  restore,
  salvageWhole,
} from "./damaged-database.js";
import { isCorruption, storeFailure } from "./failure.js";
import { Checkpoints } from "./pages/checkpoints.js";
import { inspect } from "./pages/inspect.js";
import { PageSums } from "./pages/page-sums.js";
import { walOf } from "./pages/wal.js";

export interface OpenOptions extends DamagedDatabase {
  /** No other process may open it, not even to read. */
  readonly exclusive: boolean;
  /** Pages in the write-ahead log after which it is moved into the file: each time, the disk is waited for. */
  readonly frames: number;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** To be called after each commit, and to close it. */
  readonly checkpoints: Checkpoints;
}

/** Makes the next start look at the whole file with SQLite's own check. */
export const requestIntegrityCheck = (path: string): void => writeFileSync(suspicionOf(path), "");
const suspicionOf = (path: string): string => `${path}-suspect`;

/**
 * A commit is on the disk when it returns (WAL, synchronous FULL), unless the host's database says otherwise (`database.ts`). A damaged file is
 * renamed, and a new one with what is whole of it takes its name; what is missing is reported.
 * @throws ReeveError when the file cannot be used.
 */
export function openDatabase(options: OpenOptions): OpenedDatabase {
  const { path, frames } = options;
  try {
    const sums = checkedSums(options);
    let database: DatabaseSync | undefined;
    try {
      database = connect(options);
      // Reads the schema and, where exclusive, takes the lock.
      database.exec("BEGIN IMMEDIATE; COMMIT");
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
      return { database, checkpoints: new Checkpoints({ path, database, sums, frames }) };
    } catch (thrown) {
      database?.close();
      sums.close();
      throw thrown;
    }
  } catch (thrown) {
    throw storeFailure(thrown, path);
  }
}

/** The sums of a database that is as it was left, or of what is whole of it. */
function checkedSums(options: OpenOptions): PageSums {
  const { path } = options;
  finishRestore(path);
  const found = inspect(path);
  if (found) {
    const { sums, log, isDamaged, isLogNeedless, isUnsure } = found;
    if (isDamaged) restore(options, found);
    else {
      if (isLogNeedless) rmSync(walOf(path));
      else if (log.lost > 0) noteOlder(options, found);
      if (!isUnsure && !existsSync(suspicionOf(path))) return sums;
    }
    sums.close();
  }
  try {
    return newSums(options);
  } catch (thrown) {
    if (!isCorruption(thrown)) throw thrown;
    salvageWhole(options);
    return newSums(options);
  }
}

/** For a database that nothing is known about: SQLite's own check has to do. */
function newSums(options: OpenOptions): PageSums {
  const { path } = options;
  const isNew = !existsSync(path);
  const database = connect(options);
  try {
    if (!isNew) check(database);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
  const sums = PageSums.create(path);
  rmSync(suspicionOf(path), { force: true });
  // Of earlier versions.
  rmSync(`${path}-sums`, { force: true });
  return sums;
}

function connect({ path, exclusive }: OpenOptions): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: exclusive ? 0 : 250 });
  try {
    forbidAttaching(database);
    chmodSync(path, 0o600);
    if (exclusive) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec("PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 0");
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** A plugin's queries must not reach another file. */
function forbidAttaching(database: DatabaseSync): void {
  // Not there before Node 25: the slower way asks about every column of every statement.
  const { limits } = database as { limits?: { attach: number } };
  if (limits) limits.attach = 0;
  else
    database.setAuthorizer((action) =>
      action === constants.SQLITE_ATTACH ? constants.SQLITE_DENY : constants.SQLITE_OK,
    );
}

function check(database: DatabaseSync): void {
  const found = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0];
  if (found !== "ok") throw Object.assign(new Error(String(found)), { errcode: 11 });
}
