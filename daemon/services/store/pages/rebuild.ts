/** Makes one file of what is whole of a database and its write-ahead log, for SQLite to read. */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Inspection } from "./inspect.js";
import { pagesOf } from "./read-pages.js";
import { frameBytesAt, withWal } from "./wal.js";

/** In a page that is missing: no page of a tree begins with it, and no text has it. */
const FILLER = 0xff;
/** Where the header of the first page says by which means the file is read and written, and what means a plain file. */
const versions = { at: 18, plain: 0x0101 } as const;
const headerLength = 100;

/** Of https://sqlite.org/fileformat2.html#b_tree_pages. */
const kinds = { indexInterior: 2, indexLeaf: 10, tableLeaf: 13 } as const;

/**
 * A row of which a part was on a missing page cannot be read from it; all others can, except those that are found by way of a missing page.
 * @throws an error of the operating system
 */
export function rebuild(path: string, inspection: Inspection, to: string): void {
  const { sums, log, size, bad, replaced } = inspection;
  const { pageSize } = sums.state;
  const target = openSync(to, "w+", 0o600);
  try {
    withWal(path, (file) => {
      for (const { page, bytes } of pagesOf(path, pageSize, size)) {
        const frame = log.frames.get(page);
        const content = replaced.get(page) ?? Buffer.alloc(pageSize, FILLER);
        if (file !== undefined && frame !== undefined) {
          readSync(file, content, 0, pageSize, frameBytesAt(frame, pageSize));
        } else if (bytes && !bad.has(page) && !replaced.has(page)) bytes.copy(content);
        if (page === 1 && !bad.has(page)) content.writeUInt16BE(versions.plain, versions.at);
        writeSync(target, content, 0, pageSize, (page - 1) * pageSize);
      }
    });
    if (bad.size > 0) cutChains(target, pageSize, size, bad);
  } finally {
    closeSync(target);
  }
}

/** Ends chains of overflow pages before their first missing page: SQLite then refuses the row, and does not take the filler for its content. */
function cutChains(file: number, pageSize: number, size: number, bad: ReadonlySet<number>): void {
  const link = Buffer.alloc(4);
  const next = (page: number): number => {
    readSync(file, link, 0, 4, (page - 1) * pageSize);
    return link.readUInt32BE(0);
  };
  const isMissing = (first: number): boolean => {
    const seen = new Set<number>();
    for (let page = first; page !== 0; page = next(page)) {
      if (bad.has(page) || page > size || seen.has(page)) return true;
      seen.add(page);
    }
    return false;
  };
  const usable = pageSize - reservedIn(file);
  const bytes = Buffer.alloc(pageSize);
  const none = Buffer.alloc(4);
  for (let page = 1; page <= size; page += 1) {
    if (bad.has(page)) continue;
    readSync(file, bytes, 0, pageSize, (page - 1) * pageSize);
    for (const at of overflowLinks(bytes, page === 1 ? headerLength : 0, usable)) {
      if (isMissing(bytes.readUInt32BE(at))) {
        writeSync(file, none, 0, 4, (page - 1) * pageSize + at);
      }
    }
  }
}

function reservedIn(file: number): number {
  const header = Buffer.alloc(headerLength);
  readSync(file, header, 0, headerLength, 0);
  return header[0] === FILLER ? 0 : header.readUInt8(20);
}

/** Where in a page of a tree the numbers of first overflow pages stand; nowhere in other pages. */
function* overflowLinks(bytes: Buffer, start: number, usable: number): Iterable<number> {
  const kind = bytes.readUInt8(start);
  const isTable = kind === kinds.tableLeaf;
  const isInterior = kind === kinds.indexInterior;
  if (!isTable && !isInterior && kind !== kinds.indexLeaf) return;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const cells = bytes.readUInt16BE(start + 3);
  const pointers = start + (isInterior ? 12 : 8);
  for (let cell = 0; cell < cells && pointers + 2 * cell + 2 <= bytes.length; cell += 1) {
    const at = bytes.readUInt16BE(pointers + 2 * cell) + (isInterior ? 4 : 0);
    const [payload, afterPayload] = varint(bytes, at);
    const [, content] = isTable ? varint(bytes, afterPayload) : [0, afterPayload];
    if (payload <= most) continue;
    const wanted = least + ((payload - least) % (usable - 4));
    const link = content + (wanted <= most ? wanted : least);
    if (link + 4 <= bytes.length) yield link;
  }
}

/** The value, and where it ends. Of nine bytes at most; payloads are far below what a number can hold. */
function varint(bytes: Buffer, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes[at + index] ?? 0;
    if (index === 8) return [value * 256 + byte, at + 9];
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  return [value, at + 9];
}
