/** Opens a database file: private, durable, and never in the way when it is damaged. */
import { chmodSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants, DatabaseSync } from "node:sqlite";
import type { Log } from "../../plugin-api/context.js";
import { checkSums, removeSums } from "./block-sums.js";
import { isCorruption, storeFailure } from "./failure.js";
import { salvage } from "./salvage.js";

export interface OpenOptions {
  readonly path: string;
  readonly log: Log;
  /** For the name under which a damaged file is kept. */
  readonly now: () => number;
  /** No other process may open it, not even to read. */
  readonly exclusive: boolean;
  /** Called with what is missing, in one sentence, once a damaged file was moved aside and what it still holds was copied. */
  readonly damaged?: (what: string, kept: string) => void;
  /** Statements for a database with rows of a damaged one. */
  readonly afterSalvage?: string;
}

/** Bytes that are looked at before every start, and after the last one did not end well. */
const alwaysChecked = 8 * 1024 * 1024;
const checkedWhenUnclean = 64 * 1024 * 1024;

/** Makes the next start look at the whole file, however large it is. */
export const requestIntegrityCheck = (path: string): void => writeFileSync(suspicionOf(path), "");
const suspicionOf = (path: string): string => `${path}-suspect`;

/**
 * A commit is on the disk when it returns (WAL, synchronous FULL), unless the host's database says otherwise (`database.ts`). A damaged file is
 * renamed, which is logged, and a new one with what can still be read takes its name.
 * @throws ReeveError when the file cannot be used.
 */
export function openDatabase(options: OpenOptions): DatabaseSync {
  try {
    try {
      if (!checkSums(options.path)) throw damage("its checksums differ");
      removeSums(options.path);
      return attempt(options);
    } catch (thrown) {
      if (!isCorruption(thrown)) throw thrown;
      setAside(options);
      removeSums(options.path);
      return attempt(options);
    }
  } catch (thrown) {
    throw storeFailure(thrown, options.path);
  }
}

function attempt({ path, exclusive }: OpenOptions): DatabaseSync {
  const toBeChecked = worthChecking(path);
  const database = new DatabaseSync(path, { timeout: exclusive ? 0 : 250 });
  try {
    forbidAttaching(database);
    chmodSync(path, 0o600);
    if (exclusive) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    // In pages of 4 KiB: each time it is reached, the disk is waited for.
    database.exec("PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 4000");
    if (toBeChecked) check(database);
    rmSync(suspicionOf(path), { force: true });
    // Reads the schema and, where exclusive, takes the lock.
    database.exec("BEGIN IMMEDIATE; COMMIT");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
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

function worthChecking(path: string): boolean {
  if (existsSync(suspicionOf(path))) return true;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  // A log left behind means that the last writer did not close.
  return size <= (existsSync(`${path}-wal`) ? checkedWhenUnclean : alwaysChecked);
}

function check(database: DatabaseSync): void {
  const found = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0];
  if (found !== "ok") throw damage(String(found));
}

const damage = (what: string): Error => Object.assign(new Error(what), { errcode: 11 });

function setAside({ path, log, now, damaged, afterSalvage }: OpenOptions): void {
  const stamp = new Date(now()).toISOString().replace(/[:.]/g, "-");
  const kept = `${path}.damaged-${stamp}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
  }
  const { rows, unread } = salvage(kept, path);
  const result =
    unread.length === 0 ? "Some rows may be missing or changed" : `Missing: ${unread.join("; ")}`;
  const what = `The database ${path} is damaged: it is kept as ${kept}, and ${rows} rows of it were copied. ${result}.`;
  if (rows > 0 && afterSalvage) {
    const database = new DatabaseSync(path);
    try {
      database.exec(afterSalvage);
    } catch {
      // An older version wrote it, without the table.
    }
    database.close();
  }
  damaged?.(what, kept);
  log.error(what, { path, kept });
}
