/** Compares a database, its write-ahead log and its sums before SQLite opens them. */
import { readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { bootId, type PageState, PageSums } from "./page-sums.js";
import { pageSizeOf, pagesOf } from "./read-pages.js";
import {
  frameBytesAt,
  readWalHeader,
  repairedHeader,
  type WalFrame,
  type WalHeader,
  walFrames,
  withWal,
} from "./wal.js";

/** What a log holds of a database. */
interface LogPages {
  /** By page, the frame with its newest content. */
  readonly frames: ReadonlyMap<number, number>;
  /** Pages whose newest content is damaged. */
  readonly bad: ReadonlySet<number>;
  /** Of those, the newest frames that are not. */
  readonly older: ReadonlyMap<number, number>;
  /** Of the database, in pages; 0 without a commit. */
  readonly size: number;
  /** Whether SQLite would take a damaged frame for the end. */
  readonly isBroken: boolean;
  /** Commits that are missing, and nothing says what was in them. */
  readonly lost: number;
}

export interface Inspection {
  readonly sums: PageSums;
  readonly log: LogPages;
  /** Of the database, in pages. */
  readonly size: number;
  /** Pages that are not what was written. */
  readonly bad: ReadonlySet<number>;
  /** What to take in the place of others that are not. */
  readonly replaced: ReadonlyMap<number, Buffer>;
  /** Whether some of that is older than what was committed: then the newest tables may be missing. */
  readonly isSchemaOlder: boolean;
  /** Whether SQLite cannot be given the files as they are. */
  readonly isDamaged: boolean;
  /** Whether some sums are damaged themselves, so that SQLite's own check has to do. */
  readonly isUnsure: boolean;
  /** Whether all of the log is in the database, so that a damaged one costs nothing. */
  readonly isLogNeedless: boolean;
}

/** `undefined` where nothing is known about the database. `boot`: of the machine, now. @throws an error of the operating system */
export function inspect(path: string, boot = bootId()): Inspection | undefined {
  const sums = PageSums.open(path);
  if (!sums) return undefined;
  try {
    const { committed, written, boot: last } = sums.state;
    const state = { ...sums.state, committed: last === boot ? written : committed };
    if (state.pages === 0) {
      sums.close();
      return undefined;
    }
    const log = withWal(path, (file) =>
      file === undefined ? withoutLog(state) : readLog(file, state),
    );
    const size = log.size > 0 ? log.size : state.pages;
    if (log.isBroken || log.lost > 0) {
      const alone = comparePages(path, sums, state.pages, () => false);
      if (isSummed(state) && alone.bad.size === 0 && !alone.isUnsure) {
        const none = { replaced: new Map<number, Buffer>(), isSchemaOlder: false };
        const needless = { isDamaged: false, isLogNeedless: true };
        return { sums, log, size: state.pages, ...alone, ...none, ...needless };
      }
    }
    const { bad, isUnsure } = comparePages(path, sums, size, (page) => log.frames.has(page));
    for (const page of log.bad) bad.add(page);
    const isDamaged = bad.size > 0 || log.isBroken || pageSizeOf(path) !== state.pageSize;
    const replacement = replaceSchema(path, sums, log, bad);
    return { sums, log, size, bad, ...replacement, isDamaged, isUnsure, isLogNeedless: false };
  } catch (thrown) {
    sums.close();
    throw thrown;
  }
}

/** Whether the sums have all that was committed. */
const isSummed = ({ summed, committed }: PageState): boolean =>
  committed.frames === 0 || (summed.salts === committed.salts && summed.frames >= committed.frames);

const withoutLog = (state: PageState): LogPages => ({
  ...{ frames: new Map(), bad: new Set(), older: new Map(), size: 0, isBroken: false },
  lost: isSummed(state) ? 0 : state.committed.commits,
});

function readLog(file: number, state: PageState): LogPages {
  const { committed, pages } = state;
  const found = readWalHeader(file);
  const isSame = found?.salts === committed.salts;
  // Another log begins once the sums have the one before.
  if (isSummed(state) && !found) return withoutLog(state);
  const isLater = found !== undefined && !isSame && isSummed(state);
  const header =
    isSame || isLater
      ? (found as WalHeader)
      : repairedHeader(file, { pageSize: state.pageSize, salts: committed.salts });
  const known = isLater ? 0 : committed.frames;
  const frames = new Map<number, number>();
  const bad = new Set<number>();
  const older = new Map<number, number>();
  let isBroken = header !== found;
  let size = 0;
  let hidden = 0;
  let ended = 0;
  // Since the sums were written.
  let commits = 0;
  const before = state.summed.salts === header.salts ? state.summed.frames : 0;
  let open: WalFrame[] = [];
  for (const frame of walFrames(file, header, {
    frames: known,
    size: Math.max(committed.size, pages),
  })) {
    isBroken ||= !frame.isReadable;
    open.push(frame);
    const isKnownEnd = frame.index + 1 === known;
    // Checksums are cumulative: this one proves that it is the same log.
    if (isKnownEnd && frame.isWhole && frame.checksum !== committed.checksum) {
      return { ...withoutLog(state), isBroken: true };
    }
    if (!isKnownEnd && frame.size === 0) continue;
    for (const { pages, index, isWhole } of open) {
      if (pages.length === 0) hidden = 1;
      for (const page of pages) {
        const known = frames.get(page);
        if (isWhole) {
          frames.set(page, index);
          bad.delete(page);
        } else {
          if (known !== undefined) older.set(page, known);
          frames.delete(page);
          bad.add(page);
        }
      }
    }
    open = [];
    if (frame.index >= before) commits += 1;
    ended = frame.index + 1;
    size = isKnownEnd ? committed.size : frame.size;
  }
  const lost = ended < known ? Math.max(1, committed.commits - commits) : hidden;
  return { frames, bad, older, size, isBroken, lost };
}

/** Takes pages of the schema out of `bad` for which there is another content: without them no row could be read. */
function replaceSchema(
  path: string,
  sums: PageSums,
  log: LogPages,
  bad: Set<number>,
): Pick<Inspection, "replaced" | "isSchemaOlder"> {
  const replaced = new Map<number, Buffer>();
  let isSchemaOlder = false;
  for (const page of bad) {
    const copy = sums.copyOf(page);
    const index = log.older.get(page);
    const isOfSchema = copy !== undefined || page === 1;
    const content = isOfSchema && index !== undefined ? frameContent(path, sums, index) : copy;
    if (content === undefined) continue;
    replaced.set(page, content);
    isSchemaOlder ||= log.bad.has(page);
    bad.delete(page);
  }
  return { replaced, isSchemaOlder };
}

function frameContent(path: string, { state }: PageSums, index: number): Buffer | undefined {
  return withWal(path, (file) => {
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(state.pageSize);
    readSync(file, bytes, 0, bytes.length, frameBytesAt(index, state.pageSize));
    return bytes;
  });
}

/** Pages of `size` that are not as their sums say, except those that `isElsewhere`. */
function comparePages(
  path: string,
  sums: PageSums,
  size: number,
  isElsewhere: (page: number) => boolean,
): { readonly bad: Set<number>; readonly isUnsure: boolean } {
  const bad = new Set<number>();
  let isUnsure = false;
  for (const { page, bytes } of pagesOf(path, sums.state.pageSize, size)) {
    if (isElsewhere(page)) continue;
    const sum = sums.sum(page);
    if (sum === undefined) isUnsure = true;
    else if (bytes === undefined || crc32(bytes) !== sum) bad.add(page);
  }
  return { bad, isUnsure };
}
