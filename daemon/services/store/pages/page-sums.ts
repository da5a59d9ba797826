/**
 * Checksums of a database's pages, in a file beside it: SQLite has none, so it cannot see a changed byte in a row. They hold for every page that is not in
 * the write-ahead log, which has checksums of its own. The pages that say which tables there are, and where, lie there a second time: without them no row
 * could be read.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import { pageSizeOf, pagesOf } from "./read-pages.js";
import { schemaChildren } from "./schema-pages.js";

/** A number of frames, from the beginning of the log with these salts. */
interface LogPosition {
  /** In hexadecimal; zeros before the first log. */
  readonly salts: string;
  readonly frames: number;
}

export interface PageState {
  readonly pageSize: number;
  /** Pages of the database that have sums; 0 where none can be relied on. */
  readonly pages: number;
  /** The log up to which the sums have all pages. */
  readonly summed: LogPosition;
  /** The newest commit that is on the disk: a power cut may take those behind it. */
  readonly committed: LogCommit;
  /** The newest one, which only a power cut may take. */
  readonly written: LogCommit;
  /** Of the boot of the machine in which it was written, in hexadecimal: another one means that the power was cut, or may have been. */
  readonly boot: string;
}

export interface LogCommit extends LogPosition {
  /** Of its last frame. */
  readonly checksum: string;
  /** Of the database then, in pages. */
  readonly size: number;
  /** Commits since the sums were written. */
  readonly commits: number;
}

/** Of this boot. */
export function bootId(): string {
  try {
    const id = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").replaceAll("-", "");
    return id.slice(0, noBytes.length);
  } catch {
    return noBytes;
  }
}

const BLOCK = 4096;
/** Sums in a block, which ends with its own. */
const EACH = BLOCK / 4 - 1;
/** Two states, written in turn: one of them is whole at any moment. */
const slots = [0, 512] as const;
/** Behind them in the first block: the numbers of the pages that are copied, 0 for none. The copies are the next blocks. */
const copiesAt = 1024;
const mostCopies = 8;
const firstSums = 1 + mostCopies;
const used = 128;
const MAGIC = 0x31535052;
const [committedAt, writtenAt, bootAt] = [40, 72, 104] as const;
const lastSum = BLOCK - 4;

const noBytes = "0".repeat(16);

export const sumsOf = (path: string): string => `${path}-pages`;

export class PageSums {
  readonly #descriptor: number;
  readonly #blocks: (Buffer | undefined)[];
  readonly #changed = new Set<number>();
  /** By page. */
  #copies: ReadonlyMap<number, Buffer>;
  #state: PageState;
  #count: number;

  private constructor(
    descriptor: number,
    state: PageState,
    count: number,
    blocks: (Buffer | undefined)[],
    copies: ReadonlyMap<number, Buffer>,
  ) {
    this.#descriptor = descriptor;
    this.#state = state;
    this.#count = count;
    this.#blocks = blocks;
    this.#copies = copies;
  }

  /** Those beside a database; `undefined` where there are none that can be used. @throws an error of the operating system */
  static open(path: string): PageSums | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(sumsOf(path));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw thrown;
    }
    const found = slots.flatMap((at) => slotAt(bytes, at) ?? []);
    const newest = found.toSorted((a, b) => b.count - a.count)[0];
    if (!newest) return undefined;
    const blocks: (Buffer | undefined)[] = [];
    for (let at = firstSums * BLOCK; at + BLOCK <= bytes.length; at += BLOCK) {
      const block = Buffer.from(bytes.subarray(at, at + BLOCK));
      const isWhole = crc32(block.subarray(0, lastSum)) === block.readUInt32LE(lastSum);
      blocks.push(isWhole ? block : undefined);
    }
    return new PageSums(openFile(path), newest.state, newest.count, blocks, copiesIn(bytes));
  }

  /** New ones, of a closed database without a log. @throws an error of the operating system */
  static create(path: string): PageSums {
    const pageSize = pageSizeOf(path);
    const pages = Math.floor(statSync(path).size / pageSize);
    const none = { salts: noBytes, frames: 0 };
    const committed = { ...none, checksum: noBytes, size: 0, commits: 0 };
    const marks = { committed, written: committed, boot: noBytes };
    const state = { pageSize, pages: 0, summed: none, ...marks };
    const sums = new PageSums(openFile(path, constants.O_TRUNC), state, 0, [], new Map());
    for (const { page, bytes } of pagesOf(path, pageSize, pages)) {
      if (bytes) sums.setSum(page, bytes);
    }
    sums.setCopies(schemaPages(path, pageSize, pages));
    sums.write({ pages });
    return sums;
  }

  get state(): PageState {
    return this.#state;
  }

  /** Survives the daemon when it returns. @throws an error of the operating system */
  set(change: Partial<PageState>): void {
    this.#state = { ...this.#state, ...change };
    this.#count += 1;
    writeSync(this.#descriptor, encode(this.#state, this.#count), 0, used, slots[this.#count % 2]);
  }

  /** Of a page, counted from 1; `undefined` where it is not known. */
  sum(page: number): number | undefined {
    return this.#blocks[blockOf(page)]?.readUInt32LE(within(page));
  }

  /** Kept with the next `write`. */
  setSum(page: number, bytes: Uint8Array): void {
    const block = this.#blocks[blockOf(page)] ?? Buffer.alloc(BLOCK);
    this.#blocks[blockOf(page)] = block;
    block.writeUInt32LE(crc32(bytes), within(page));
    this.#changed.add(blockOf(page));
  }

  /** What a page was when it was last summed, if there is a copy of it. */
  copyOf(page: number): Buffer | undefined {
    const copy = this.#copies.get(page);
    return copy && crc32(copy) === this.sum(page) ? copy : undefined;
  }

  /** Kept with the next `write`, as far as there is room for them. */
  setCopies(pages: ReadonlyMap<number, Buffer>): void {
    this.#copies = pages;
  }

  /** On the disk when it returns. @throws an error of the operating system; then the old state still holds, for the pages that have not changed */
  write(change: Partial<PageState>): void {
    for (const number of this.#changed) {
      const block = this.#blocks[number] as Buffer;
      block.writeUInt32LE(crc32(block.subarray(0, lastSum)), lastSum);
      writeSync(this.#descriptor, block, 0, BLOCK, (number + firstSums) * BLOCK);
    }
    this.#writeCopies();
    this.set(change);
    fsyncSync(this.#descriptor);
    this.#changed.clear();
  }

  #writeCopies(): void {
    const numbers = Buffer.alloc(4 * mostCopies);
    const copies = [...this.#copies].filter(([, bytes]) => bytes.length === BLOCK);
    for (const [index, [page, bytes]] of copies.slice(0, mostCopies).entries()) {
      numbers.writeUInt32LE(page, 4 * index);
      writeSync(this.#descriptor, bytes, 0, BLOCK, (index + 1) * BLOCK);
    }
    writeSync(this.#descriptor, numbers, 0, numbers.length, copiesAt);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function copiesIn(file: Buffer): ReadonlyMap<number, Buffer> {
  const copies = new Map<number, Buffer>();
  for (let index = 0; index < mostCopies; index += 1) {
    const at = (index + 1) * BLOCK;
    if (file.length < at + BLOCK) break;
    const page = file.readUInt32LE(copiesAt + 4 * index);
    if (page !== 0) copies.set(page, Buffer.from(file.subarray(at, at + BLOCK)));
  }
  return copies;
}

/** Those of a closed database. */
function schemaPages(path: string, pageSize: number, pages: number): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>();
  let wanted: readonly number[] = [1];
  for (const { page, bytes } of pagesOf(path, pageSize, pages)) {
    if (page === 1 && bytes) wanted = [1, ...schemaChildren(bytes)];
    if (bytes && wanted.includes(page)) found.set(page, Buffer.from(bytes));
  }
  return found;
}

const blockOf = (page: number): number => Math.floor((page - 1) / EACH);
const within = (page: number): number => ((page - 1) % EACH) * 4;

function openFile(path: string, more = 0): number {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  return openSync(sumsOf(path), O_RDWR | O_CREAT | O_NOFOLLOW | more, 0o600);
}

function encode(state: PageState, count: number): Buffer {
  const { pageSize, pages, summed, committed, written, boot } = state;
  const bytes = Buffer.alloc(used);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUIntLE(count, 8, 6);
  bytes.writeUInt32LE(pageSize, 16);
  bytes.writeUInt32LE(pages, 20);
  bytes.write(summed.salts, 24, 8, "hex");
  bytes.writeUInt32LE(summed.frames, 32);
  encodeCommit(committed, bytes, committedAt);
  encodeCommit(written, bytes, writtenAt);
  bytes.write(boot, bootAt, 8, "hex");
  bytes.writeUInt32LE(crc32(bytes.subarray(0, used - 4)), used - 4);
  return bytes;
}

function slotAt(
  file: Buffer,
  at: number,
): { readonly count: number; readonly state: PageState } | undefined {
  const bytes = file.subarray(at, at + used);
  if (bytes.length < used || bytes.readUInt32LE(0) !== MAGIC) return undefined;
  if (crc32(bytes.subarray(0, used - 4)) !== bytes.readUInt32LE(used - 4)) return undefined;
  return {
    count: bytes.readUIntLE(8, 6),
    state: {
      pageSize: bytes.readUInt32LE(16),
      pages: bytes.readUInt32LE(20),
      summed: { salts: bytes.toString("hex", 24, 32), frames: bytes.readUInt32LE(32) },
      committed: commitAt(bytes, committedAt),
      written: commitAt(bytes, writtenAt),
      boot: bytes.toString("hex", bootAt, bootAt + 8),
    },
  };
}

function encodeCommit(commit: LogCommit, bytes: Buffer, at: number): void {
  bytes.write(commit.salts, at, 8, "hex");
  bytes.write(commit.checksum, at + 8, 8, "hex");
  bytes.writeUInt32LE(commit.frames, at + 16);
  bytes.writeUInt32LE(commit.size, at + 20);
  bytes.writeUInt32LE(commit.commits, at + 24);
}

const commitAt = (bytes: Buffer, at: number): LogCommit => ({
  salts: bytes.toString("hex", at, at + 8),
  checksum: bytes.toString("hex", at + 8, at + 16),
  frames: bytes.readUInt32LE(at + 16),
  size: bytes.readUInt32LE(at + 20),
  commits: bytes.readUInt32LE(at + 24),
});
