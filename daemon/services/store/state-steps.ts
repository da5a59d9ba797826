/** Which steps of its tables a state directory has, read without a change, also while a daemon uses it. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hostSteps } from "./schema.js";

/** One database of a state directory, compared with what this program makes of it. */
export interface TableSteps {
  /** Relative to the state directory. */
  readonly file: string;
  /** Of the plugin; absent for the host's database. */
  readonly plugin?: string;
  readonly done: number;
  /** What the first start adds, in that order. */
  readonly missing: readonly string[];
  /** What this program does not know: a newer version made it. */
  readonly unknown: readonly string[];
}

/** By the id of the plugin: the names of its steps, in their order. */
type PluginSteps = ReadonlyMap<string, readonly string[]>;

/**
 * Nothing where a file does not exist: the first start makes it. Plugins that are not in `plugins` are left out.
 * @throws an error of the operating system or of SQLite
 */
export function stateSteps(state: string, plugins: PluginSteps): readonly TableSteps[] {
  const found: TableSteps[] = [];
  const host = join(state, "reeve.db");
  if (existsSync(host)) found.push(compareHost(userVersion(host)));
  const directory = join(state, "plugins");
  for (const plugin of existsSync(directory) ? readdirSync(directory).sort() : []) {
    const known = plugins.get(plugin);
    const file = join("plugins", plugin, "tables.sqlite");
    if (known === undefined || !existsSync(join(state, file))) continue;
    const done = migrationsIn(join(state, file));
    // As `migrate` sees it: a name after the newest known one is from a later version.
    const last = known.at(-1) ?? "";
    found.push({
      ...{ file, plugin, done: done.size },
      missing: known.filter((name) => !done.has(name)),
      unknown: [...done].filter((name) => name > last).sort(),
    });
  }
  return found;
}

function compareHost(version: number): TableSteps {
  const unknown = Math.max(0, version - hostSteps.length);
  return {
    ...{ file: "reeve.db", done: version, missing: hostSteps.slice(version) },
    unknown: Array.from({ length: unknown }, (_, index) => `step ${hostSteps.length + index + 1}`),
  };
}

/** Of https://sqlite.org/fileformat2.html: the header of the database, of its write-ahead log and of a frame in that. */
const HEADER = { length: 100, version: 60 } as const;
const LOG = { length: 32, pageSize: 8, salts: 16 } as const;
const FRAME = { length: 24, page: 0, committed: 4, salts: 8 } as const;

/** `PRAGMA user_version` of a file whose daemon lets no other process in: that of the last commit. */
function userVersion(path: string): number {
  const header = readAt(path, 0, HEADER.length);
  const version = header.length < HEADER.length ? 0 : header.readUInt32BE(HEADER.version);
  return loggedVersion(`${path}-wal`) ?? version;
}

/** In the newest first page of the log that a commit follows; pages of an earlier log have other salts. */
function loggedVersion(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  const log = readAt(path, 0, LOG.length);
  if (log.length < LOG.length) return undefined;
  const pageSize = log.readUInt32BE(LOG.pageSize);
  const salts = log.subarray(LOG.salts, LOG.salts + 8);
  let seen: number | undefined;
  let committed: number | undefined;
  const step = FRAME.length + pageSize;
  for (let at: number = LOG.length; ; at += step) {
    const frame = readAt(path, at, FRAME.length + HEADER.length);
    if (frame.length < FRAME.length + HEADER.length) return committed;
    if (!frame.subarray(FRAME.salts, FRAME.salts + 8).equals(salts)) return committed;
    if (frame.readUInt32BE(FRAME.page) === 1) {
      seen = frame.readUInt32BE(FRAME.length + HEADER.version);
    }
    if (frame.readUInt32BE(FRAME.committed) !== 0) committed = seen;
  }
}

function readAt(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, position));
  } finally {
    closeSync(file);
  }
}

function migrationsIn(path: string): ReadonlySet<string> {
  // A daemon has it open; a connection to the original would leave this file behind otherwise, as another user's.
  if (existsSync(`${path}-shm`)) return namesIn(path);
  const copy = mkdtempSync(join(tmpdir(), "reeve-upgrade-"));
  try {
    const file = join(copy, "tables.sqlite");
    copyFileSync(path, file);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${file}-wal`);
    return namesIn(file);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function namesIn(path: string): ReadonlySet<string> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  try {
    const table = "SELECT 1 FROM sqlite_schema WHERE name = 'reeve_migrations'";
    if (database.prepare(table).get() === undefined) return new Set();
    const rows = database.prepare("SELECT name FROM reeve_migrations").all();
    return new Set(rows.map(({ name }) => String(name)));
  } finally {
    database.close();
  }
}
