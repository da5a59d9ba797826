/**
 * One daemon per state directory. SQLite takes the operating system's lock, which disappears with the process,
 * however that ends.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorMessage, ReeveError } from "../errors.js";
import { demandTrusted } from "../services/directories.js";

/** @throws ReeveError `already_running` or `state_directory`. Returns a function that releases it. */
export function lockDirectory(directory: string): () => void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    demandTrusted(directory);
    const path = join(directory, "daemon.lock");
    // SQLite would make it readable by everybody.
    writeFileSync(path, "", { flag: "a", mode: 0o600 });
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      // The journal stays in memory: nothing is ever written.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
    } catch (thrown) {
      database.close();
      throw isLocked(thrown) ? held(directory) : thrown;
    }
    writeFileSync(join(directory, "daemon.pid"), `${process.pid}\n`, { mode: 0o600 });
    return () => database.close();
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    throw new ReeveError(
      "state_directory",
      `The state directory \`${directory}\` cannot be used: ${errorMessage(thrown)}.`,
      { help: "Choose another one with `--state`, or correct its owner and mode.", cause: thrown },
    );
  }
}

function held(directory: string): ReeveError {
  const pid = pidIn(directory);
  const who = pid === undefined ? "another process" : `process ${pid}`;
  return new ReeveError("already_running", `Reeve runs already: ${who} has \`${directory}\`.`, {
    help: "Stop it first, or give this one a state directory of its own with `--state`.",
  });
}

function pidIn(directory: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(directory, "daemon.pid"), "utf8"), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** SQLITE_BUSY. */
const isLocked = (thrown: unknown): boolean => (thrown as { errcode?: number }).errcode === 5;
