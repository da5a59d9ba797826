/** Opens a database file: private, durable, and never in the way when it is damaged. */
import { chmodSync, existsSync, renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Log } from "../../plugin-api/context.js";
import { isDamage, storeFailure } from "./failure.js";

export interface OpenOptions {
  readonly path: string;
  readonly log: Log;
  /** For the name under which a damaged file is kept. */
  readonly now: () => number;
  /** Nobody else may have it open, not even to read. */
  readonly exclusive: boolean;
}

/**
 * A commit is on the disk when it returns (WAL, synchronous FULL). A damaged file is renamed, which is logged, and an
 * empty one takes its place.
 * @throws ReeveError when the file cannot be used.
 */
export function openDatabase(options: OpenOptions): DatabaseSync {
  try {
    try {
      return attempt(options);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      setAside(options);
      return attempt(options);
    }
  } catch (thrown) {
    throw storeFailure(thrown, options.path);
  }
}

function attempt({ path, exclusive }: OpenOptions): DatabaseSync {
  // A log left behind means that the last writer did not close: then, and only then, is everything looked at.
  const unclean = existsSync(`${path}-wal`);
  // Nothing is ever attached, so that a plugin's queries cannot reach another file.
  const database = new DatabaseSync(path, { timeout: exclusive ? 0 : 250, limits: { attach: 0 } });
  try {
    chmodSync(path, 0o600);
    if (exclusive) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec("PRAGMA journal_size_limit = 16777216");
    if (unclean) check(database);
    // Reads the schema and, where exclusive, takes the lock.
    database.exec("BEGIN IMMEDIATE; COMMIT");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function check(database: DatabaseSync): void {
  const found = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0];
  if (found !== "ok") throw Object.assign(new Error(String(found)), { errcode: 11 });
}

function setAside({ path, log, now }: OpenOptions): void {
  const stamp = new Date(now()).toISOString().replace(/[:.]/g, "-");
  const kept = `${path}.damaged-${stamp}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
  }
  log.error(
    `The database ${path} is damaged: it is kept as ${kept}, and reeve begins with an empty one.`,
    { path, kept },
  );
}
