/** What SQLite's errors mean to a person. */
import { ReeveError } from "../../errors.js";

/** SQLite's primary result codes that have a cause outside the program. */
const FULL = 13;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const CANTOPEN = 14;
const BUSY = 5;
const LOCKED = 6;
const NOTADB = 26;

/** The same causes where a file is written without SQLite. */
const SYSTEM: Readonly<Record<string, number>> = {
  ...{ ENOSPC: FULL, EDQUOT: FULL, EROFS: READONLY, EIO: IOERR, EFBIG: IOERR },
};

const primary = (thrown: unknown): number | undefined => {
  const { errcode, code } = thrown as { errcode?: unknown; code?: unknown };
  if (typeof code === "string" && code in SYSTEM) return SYSTEM[code];
  return typeof errcode === "number" ? errcode & 0xff : undefined;
};

/** Whether the file's content is not what SQLite wrote. */
export const isCorruption = (thrown: unknown): boolean => {
  const code = primary(thrown);
  return code === CORRUPT || code === NOTADB;
};

/** The error as a sentence, where the cause is the disk or another process; unchanged otherwise. */
export function storeFailure(thrown: unknown, path: string): unknown {
  const say = (code: string, message: string, help: string): ReeveError =>
    new ReeveError(code, message, { help, cause: thrown });
  switch (primary(thrown)) {
    case FULL:
      return say(
        "disk_full",
        `The disk that holds ${path} is full; what was to be written now is not kept.`,
        "Free some space; nothing needs to be restarted.",
      );
    case READONLY:
      return say(
        "store_read_only",
        `The database ${path} cannot be written: it, or its directory, is read-only.`,
        "Make it writable for the daemon's user.",
      );
    case IOERR:
      return say(
        "store_unwritable",
        `The disk refuses to read or write ${path}.`,
        "Look into the system's log for errors of the disk, and check quotas and file size limits.",
      );
    case CANTOPEN:
      return say(
        "store_unopenable",
        `The database ${path} cannot be opened.`,
        "Make its directory writable for the daemon's user.",
      );
    case BUSY:
    case LOCKED:
      return say(
        "store_in_use",
        `The database ${path} is in use by another process.`,
        "Is another reeve daemon running with the same state directory? Stop it, or choose another directory.",
      );
    case CORRUPT:
    case NOTADB:
      return say(
        "store_damaged",
        `The database ${path} is damaged.`,
        "Restart reeve: it moves the damaged file aside and begins with what can still be read.",
      );
    default:
      return thrown;
  }
}
