/** The host's tables, one step after the other; a step that has been published is never edited. */
import type { DatabaseSync } from "node:sqlite";
import { ReeveError } from "../../errors.js";

interface Step {
  /** What it adds, for people. */
  readonly adds: string;
  readonly sql: string;
}

const steps: readonly Step[] = [
  {
    adds: "records, maps, runs and jobs",
    sql: `CREATE TABLE records (
     namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
     PRIMARY KEY (namespace, key)
   ) WITHOUT ROWID, STRICT;

   CREATE TABLE maps (
     plugin TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
     PRIMARY KEY (plugin, name, key)
   ) STRICT;

   CREATE TABLE runs (
     id TEXT PRIMARY KEY, plugin TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, state TEXT NOT NULL,
     trigger TEXT, generation INTEGER NOT NULL,
     queued_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
     exit_code INTEGER, signal TEXT, reason TEXT, detail TEXT,
     bytes INTEGER NOT NULL DEFAULT 0, omitted INTEGER NOT NULL DEFAULT 0, output TEXT NOT NULL DEFAULT ''
   ) STRICT;
   CREATE INDEX runs_by_state ON runs (state, id);
   CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;
   CREATE INDEX runs_by_subject ON runs (kind, subject, id);
   CREATE INDEX runs_by_plugin ON runs (plugin, id);

   CREATE TABLE jobs (
     id TEXT PRIMARY KEY, plugin TEXT NOT NULL, queue TEXT NOT NULL, state TEXT NOT NULL,
     payload TEXT NOT NULL, progress TEXT, key TEXT, dedupe TEXT,
     priority REAL NOT NULL, run_at INTEGER NOT NULL,
     attempt INTEGER NOT NULL DEFAULT 0, interruptions INTEGER NOT NULL DEFAULT 0,
     claim TEXT, leased_until INTEGER, cancelled INTEGER NOT NULL DEFAULT 0,
     failed_at INTEGER, reason TEXT
   ) STRICT;
   CREATE INDEX jobs_next ON jobs (plugin, queue, state, priority DESC, id);
   CREATE INDEX jobs_by_key ON jobs (plugin, queue, key) WHERE key IS NOT NULL;
   CREATE INDEX jobs_by_dedupe ON jobs (plugin, queue, dedupe) WHERE dedupe IS NOT NULL;`,
  },

  {
    adds: "sizes and requests of runs",
    sql: `ALTER TABLE runs ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
   UPDATE runs SET size = length(output);
   DROP INDEX runs_finished;
   CREATE INDEX runs_finished ON runs (finished_at, size) WHERE finished_at IS NOT NULL;

   CREATE TABLE run_requests (id TEXT PRIMARY KEY, request TEXT NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TRIGGER runs_forgotten AFTER DELETE ON runs
     BEGIN DELETE FROM run_requests WHERE id = old.id; END;`,
  },

  {
    adds: "what interrupted runs continue with",
    sql: `CREATE TABLE run_resumes (id TEXT PRIMARY KEY, plugin TEXT NOT NULL, data TEXT NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TRIGGER runs_forgotten_with_resume AFTER DELETE ON runs
   BEGIN DELETE FROM run_resumes WHERE id = old.id; END;`,
  },

  // What of the journal is in the tables, and how many commits waited for the disk.
  {
    adds: "the position in the journal",
    sql: `CREATE TABLE journal (
     id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, commits INTEGER NOT NULL
   ) STRICT;
   INSERT INTO journal VALUES (1, 0, 0, 0);`,
  },

  // An earlier version would change pages and leave their sums.
  { adds: "sums of pages", sql: "" },
];

/** What each step adds, in their order. */
export const hostSteps: readonly string[] = steps.map(({ adds }) => adds);

/** @throws ReeveError when a newer reeve wrote the file. */
export function bringUpToDate(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (version > steps.length) {
    throw new ReeveError("store_too_new", "The database was written by a newer version of reeve.", {
      help: "Install that version again, or choose another state directory.",
    });
  }
  if (version === steps.length) return;
  // A step that a power cut takes back is done again: the disk has it before whatever is written next.
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    for (const [index, { sql }] of steps.entries()) {
      if (index >= version) apply(database, sql, index);
    }
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

function apply(database: DatabaseSync, step: string, index: number): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(`${step}; PRAGMA user_version = ${index + 1}; COMMIT`);
  } catch (thrown) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}
