// The main script of the single executable. It starts a command by the name under which it was called, or the module that its
// parent process names with REEVE_MODULE set, as `node MODULE` would.
const { getAsset, getRawAsset } = require("node:sea");
const fs = require("node:fs");
const os = require("node:os");
const { runMain } = require("node:module");
const { basename, dirname, join } = require("node:path");
const { DatabaseSync } = require("node:sqlite");

const COMMANDS = ["reeve", "awf", "webhook"];
/** In the directory with the program's files: each process that uses them has a shared lock on it. */
const LOCK = "lock";

try {
  const words = process.argv.slice(2);
  const entry =
    process.env.REEVE_MODULE === undefined
      ? join(installed(), "dist/cli", `${command()}.js`)
      : moduleIn(words);
  process.argv.splice(1, Infinity, entry, ...words);
  runMain();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 73;
}

function command() {
  const name = basename(process.argv0);
  return COMMANDS.find((each) => name === each || name === `reeve-${each}`) ?? "reeve";
}

/** Takes the module and Node's options before it from `words`. */
function moduleIn(words) {
  // They are for this process alone, not for those that it starts.
  delete process.env.REEVE_MODULE;
  delete process.env.NODE_OPTIONS;
  const at = words.findIndex((word) => !word.startsWith("-"));
  const [entry] = words.splice(0, at + 1).slice(-1);
  // It may outlive the process that started it.
  const place = /^(.*\/program-[^/]+)\/dist\//.exec(entry)?.[1];
  if (place !== undefined) lock(place);
  return entry;
}

/** The directory with the program's files, written at the first start, and locked as long as this process lives. */
function installed() {
  const parent = cacheDirectory();
  const place = join(parent, `program-${getAsset("name", "utf8")}`);
  while (!lock(place)) write(parent, place);
  removeUnused(parent, basename(place));
  return place;
}

function write(parent, place) {
  if (fs.existsSync(place)) {
    try {
      fs.writeFileSync(join(place, LOCK), "", { flag: "a" });
    } catch (error) {
      // Another process has renamed it meanwhile.
      if (error.code !== "ENOENT") throw error;
    }
    return;
  }
  fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
  const fresh = fs.mkdtempSync(join(parent, ".program-"));
  try {
    writeFiles(fresh);
    fs.writeFileSync(join(fresh, LOCK), "");
    fs.chmodSync(fresh, 0o755);
    fs.renameSync(fresh, place);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    // Another process wrote it meanwhile.
    if (!fs.existsSync(place)) throw error;
  }
}

/** Says whether the directory is there and nothing removes it before this process ends. SQLite takes the system's lock. */
function lock(place) {
  const file = join(place, LOCK);
  if (!fs.existsSync(file)) return false;
  let database;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    database.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  } catch (error) {
    database?.close();
    if (fs.existsSync(file)) throw error;
    return false;
  }
  // A process with the other lock may have renamed it.
  if (fs.existsSync(file)) {
    // Keeps the connection, which would otherwise be closed as garbage.
    process.once("exit", () => database.close());
    return true;
  }
  database.close();
  return false;
}

/** Removes what other versions wrote and no process uses. What cannot be removed stays. */
function removeUnused(parent, own) {
  const others = fs.readdirSync(parent).filter((name) => /^program-/.test(name) && name !== own);
  for (const name of others) {
    const file = join(parent, name, LOCK);
    let database;
    try {
      if (!fs.existsSync(file)) continue;
      database = new DatabaseSync(file, { timeout: 0 });
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      const gone = join(parent, `.${name}-${process.pid}`);
      fs.renameSync(join(parent, name), gone);
      fs.rmSync(gone, { recursive: true, force: true });
    } catch {
      // It is used, or another process removes it.
    } finally {
      database?.close();
    }
  }
}

function writeFiles(directory) {
  const archive = Buffer.from(getRawAsset("files"));
  const start = 4 + archive.readUInt32LE(0);
  let offset = start;
  for (const [name, size] of JSON.parse(archive.toString("utf8", 4, start))) {
    const file = join(directory, name);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, archive.subarray(offset, offset + size));
    offset += size;
  }
}

/** @throws Error if another user could have written there what would run here */
function cacheDirectory() {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, HOME } = process.env;
  // Users of services have none, and their entry names a directory that does not exist.
  const hasHome = HOME && HOME !== "/" && fs.existsSync(HOME);
  const base = XDG_CACHE_HOME || (hasHome ? join(HOME, ".cache") : undefined);
  const user = process.getuid();
  const directory =
    CACHE_DIRECTORY?.split(":")[0] ||
    (base === undefined ? join(os.tmpdir(), `reeve-${user}`) : join(base, "reeve"));
  const found = fs.lstatSync(directory, { throwIfNoEntry: false });
  if (found !== undefined && (found.uid !== user || !found.isDirectory() || found.mode & 0o022)) {
    throw new Error(
      `${directory} must be a directory that only its owner, this user, can write: set XDG_CACHE_HOME to another`,
    );
  }
  return directory;
}
