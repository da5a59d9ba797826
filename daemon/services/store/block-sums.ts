/**
 * Checksums of a closed database, beside it: SQLite has none for its pages, so it cannot see a changed byte within a row. They are valid until the
 * database is opened.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";

const block = 64 * 1024;
/** Bytes beyond which a start would take too long. */
const largest = 64 * 1024 * 1024;
const sumsOf = (path: string): string => `${path}-sums`;

/** Of a database that was closed well. */
export function writeSums(path: string): void {
  if (existsSync(`${path}-wal`) || statSync(path).size > largest) return;
  writeFileSync(sumsOf(path), JSON.stringify(sums(path)), { mode: 0o600 });
}

/** Whether the file is what was closed; `true` if nothing is known. */
export function checkSums(path: string): boolean {
  if (!existsSync(sumsOf(path)) || existsSync(`${path}-wal`) || !existsSync(path)) return true;
  if (statSync(path).size > largest) return false;
  try {
    return readFileSync(sumsOf(path), "utf8") === JSON.stringify(sums(path));
  } catch {
    return true;
  }
}

/** Before the database is changed. On the disk when it returns: old sums would make a good database look damaged. */
export function removeSums(path: string): void {
  if (!existsSync(sumsOf(path))) return;
  rmSync(sumsOf(path), { force: true });
  const descriptor = openSync(dirname(path), "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function sums(path: string): readonly number[] {
  const descriptor = openSync(path, "r");
  const buffer = Buffer.alloc(block);
  const found: number[] = [];
  try {
    for (;;) {
      const read = readSync(descriptor, buffer, 0, block, null);
      if (read === 0) return found;
      found.push(crc32(buffer.subarray(0, read)));
    }
  } finally {
    closeSync(descriptor);
  }
}
