/**
 * SQLite's write-ahead log, read without SQLite: https://sqlite.org/fileformat2.html#walformat. SQLite takes the first frame with a wrong checksum for the
 * end and says nothing, so a changed byte makes an older database. Here each frame is judged by the checksum that the frame before it states, and those
 * behind a changed one are found again.
 */
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

const HEADER = 32;
const FRAME = 24;
const MAGIC = 0x377f0682;
const smallestPage = 512;
const largestPage = 65_536;

/** Two halves, as unsigned 32-bit integers. */
type Checksum = readonly [number, number];

export interface WalHeader {
  readonly pageSize: number;
  /** In hexadecimal: new ones whenever the log begins anew. */
  readonly salts: string;
  readonly checksum: Checksum;
  /** Whether words of the checksum are read with their high byte first. */
  readonly isBig: boolean;
}

export interface WalFrame {
  /** From 0. */
  readonly index: number;
  /** One of a whole frame; otherwise those that it may be of, none where damage hides it. */
  readonly pages: readonly number[];
  /** Of the database after the commit that this frame ends, in pages; 0 within a transaction. */
  readonly size: number;
  /** As the frame states it, in hexadecimal. */
  readonly checksum: string;
  /** Whether SQLite takes it and not for the end. */
  readonly isReadable: boolean;
  /** Whether its page is what was written. */
  readonly isWhole: boolean;
}

/** Frames that are there in any case, of a database with at most so many pages. */
export interface KnownFrames {
  readonly frames: number;
  readonly size: number;
}

export const walOf = (path: string): string => `${path}-wal`;

/** Where a frame begins in the file. */
const frameAt = (index: number, pageSize: number): number => HEADER + index * (FRAME + pageSize);

/** Where its page begins. */
export const frameBytesAt = (index: number, pageSize: number): number =>
  frameAt(index, pageSize) + FRAME;

/** `undefined` where there is no log, or none that SQLite would read. @throws an error of the operating system */
export function readWalHeader(descriptor: number): WalHeader | undefined {
  const bytes = Buffer.alloc(HEADER);
  if (readSync(descriptor, bytes, 0, HEADER, 0) < HEADER) return undefined;
  const magic = bytes.readUInt32BE(0);
  const isBig = magic === MAGIC + 1;
  const pageSize = bytes.readUInt32BE(8);
  if (!(isBig || magic === MAGIC) || pageSize < smallestPage || pageSize > largestPage) {
    return undefined;
  }
  const stated: Checksum = [bytes.readUInt32BE(24), bytes.readUInt32BE(28)];
  const found = checksum([0, 0], bytes.subarray(0, 24), isBig);
  if (found[0] !== stated[0] || found[1] !== stated[1]) return undefined;
  return { pageSize, salts: bytes.toString("hex", 16, 24), checksum: stated, isBig };
}

/** For a log whose header is damaged, but not the checksum in it. @throws an error of the operating system */
export function repairedHeader(
  descriptor: number,
  known: Pick<WalHeader, "pageSize" | "salts">,
): WalHeader {
  const bytes = Buffer.alloc(HEADER);
  readSync(descriptor, bytes, 0, HEADER, 0);
  const checksum: Checksum = [bytes.readUInt32BE(24), bytes.readUInt32BE(28)];
  return { ...known, checksum, isBig: endianness() === "BE" };
}

/**
 * The frames of this log in their order, up to the first that SQLite would not read; the first `known.frames` are given in any case.
 * @throws an error of the operating system
 */
export function* walFrames(
  descriptor: number,
  header: WalHeader,
  known: KnownFrames = { frames: 0, size: 0 },
): Iterable<WalFrame> {
  const { pageSize, salts, isBig } = header;
  const frame = Buffer.alloc(FRAME + pageSize);
  const bytes = frame.subarray(FRAME);
  let seed = header.checksum;
  for (let index = 0; ; index += 1) {
    const at = frameAt(index, pageSize);
    if (readSync(descriptor, frame, 0, frame.length, at) < frame.length) return;
    const stated: Checksum = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    const found = checksum(checksum(seed, frame.subarray(0, 8), isBig), bytes, isBig);
    const isSame = found[0] === stated[0] && found[1] === stated[1];
    const isReadable = isSame && frame.toString("hex", 8, 16) === salts;
    if (!isReadable && index >= known.frames) return;
    const { page, size } = originIn(frame);
    const others = isSame ? [] : [page, solvedPage(seed, stated, bytes, isBig)];
    const suspects = others.filter((each) => each > 0 && each <= known.size);
    yield {
      ...{ index, isReadable, size, isWhole: isSame },
      pages: isSame ? [page] : suspects,
      checksum: frame.toString("hex", 16, 24),
    };
    seed = stated;
  }
}

interface Origin {
  readonly page: number;
  readonly size: number;
}

const originIn = (frame: Buffer): Origin => ({
  page: frame.readUInt32BE(0),
  size: frame.readUInt32BE(4),
});

/** The page for which the checksum of a frame would be right: damage to a few bytes may be to the number of the page. */
function solvedPage(
  [first, second]: Checksum,
  stated: Checksum,
  bytes: Buffer,
  isBig: boolean,
): number {
  const words = wordsOf(bytes, isBig);
  let [a, b] = stated;
  for (let at = words.length - 2; at >= 0; at -= 2) {
    b = (b - (words[at + 1] as number) - a) >>> 0;
    a = (a - (words[at] as number) - b) >>> 0;
  }
  const solved = Buffer.alloc(4);
  if (isBig) solved.writeUInt32BE((a - first - second) >>> 0);
  else solved.writeUInt32LE((a - first - second) >>> 0);
  return solved.readUInt32BE(0);
}

/** The header of a frame of this log; `undefined` where none of its frames begins. @throws an error of the operating system */
export function frameHeader(
  descriptor: number,
  { pageSize, salts }: WalHeader,
  index: number,
): (Origin & { readonly checksum: string }) | undefined {
  const bytes = Buffer.alloc(FRAME);
  if (readSync(descriptor, bytes, 0, FRAME, frameAt(index, pageSize)) < FRAME) return undefined;
  if (bytes.toString("hex", 8, 16) !== salts) return undefined;
  return { ...originIn(bytes), checksum: bytes.toString("hex", 16, 24) };
}

/** Calls `work` with the log of a database, where there is one. @throws an error of the operating system */
export function withWal<Result>(
  path: string,
  work: (descriptor: number | undefined) => Result,
): Result {
  const descriptor = existsSync(walOf(path)) ? openSync(walOf(path), "r") : undefined;
  try {
    return work(descriptor);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function checksum([first, second]: Checksum, bytes: Buffer, isBig: boolean): Checksum {
  const words = wordsOf(bytes, isBig);
  let [a, b] = [first, second];
  for (let at = 0; at < words.length; at += 2) {
    a = (a + (words[at] as number) + b) >>> 0;
    b = (b + (words[at + 1] as number) + a) >>> 0;
  }
  return [a, b];
}

function wordsOf(bytes: Buffer, isBig: boolean): Uint32Array {
  const isOwnOrder = isBig === (endianness() === "BE");
  const ordered = isOwnOrder ? bytes : Buffer.copyBytesFrom(bytes).swap32();
  return new Uint32Array(ordered.buffer, ordered.byteOffset, ordered.length / 4);
}
