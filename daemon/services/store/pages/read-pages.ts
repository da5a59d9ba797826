/** The pages of a database file. Never of one that this process has open: closing any descriptor of a file drops SQLite's locks on it. */
import { closeSync, existsSync, openSync, readSync } from "node:fs";

/** Bytes that are read at once. */
const chunk = 1024 * 1024;

/** The first `size` pages of a file; without bytes where it ends before. */
export function* pagesOf(
  path: string,
  pageSize: number,
  size: number,
): Iterable<{ readonly page: number; readonly bytes: Buffer | undefined }> {
  const descriptor = existsSync(path) ? openSync(path, "r") : undefined;
  try {
    const buffer = Buffer.alloc(chunk);
    const each = chunk / pageSize;
    for (let first = 0; first < size; first += each) {
      const read =
        descriptor === undefined ? 0 : readSync(descriptor, buffer, 0, chunk, first * pageSize);
      for (let index = 0; index < Math.min(each, size - first); index += 1) {
        const end = (index + 1) * pageSize;
        const bytes = end <= read ? buffer.subarray(end - pageSize, end) : undefined;
        yield { page: first + index + 1, bytes };
      }
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Every SQLite database begins with these. */
export const magic = "SQLite format 3\0";

/** 0 for what is no database. @throws an error of the operating system */
export function pageSizeOf(path: string): number {
  if (!existsSync(path)) return 0;
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(magic.length + 2);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    if (bytes.toString("latin1", 0, magic.length) !== magic) return 0;
    const stated = bytes.readUInt16BE(magic.length);
    return stated === 1 ? 65_536 : stated;
  } finally {
    closeSync(descriptor);
  }
}
