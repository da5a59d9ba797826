/**
 * `contentHash` of lock files: SHA-512 of the package. A signature is an entry of the archive that was added afterwards, and is
 * left out: what is hashed is the archive as it was before, with the places and counts of its directory as they were (PKWARE's
 * APPNOTE, 4.3).
 */
import { createHash } from "node:crypto";

const SIGNATURE = ".signature.p7s";
const DIRECTORY_END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;

interface Entry {
  readonly name: string;
  /** Of its record in the directory. */
  readonly at: number;
  readonly length: number;
  /** Of the file itself. */
  readonly start: number;
}

/** Undefined for what is no archive of the plain kind. */
export function nugetContentHash(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end = bytes.lastIndexOf(word(DIRECTORY_END));
  if (end === -1 || end + 22 > bytes.length) return undefined;
  const directory = bytes.readUInt32LE(end + 16);
  const entries = entriesOf(bytes, directory, end, bytes.readUInt16LE(end + 10));
  if (
    !entries ||
    bytes.readUInt16LE(end + 8) !== entries.length ||
    bytes.readUInt32LE(end + 12) !== end - directory
  )
    return undefined;
  const signature = entries.find(({ name }) => name === SIGNATURE);
  if (!signature) return createHash("sha512").update(bytes).digest("base64");
  if (bytes.readUInt32LE(signature.start) !== LOCAL_ENTRY) return undefined;
  // The file ends where the next one begins, or the directory.
  const starts = entries.map(({ start }) => start).filter((start) => start > signature.start);
  const next = Math.min(directory, ...starts);
  const size = next - signature.start;
  const hash = createHash("sha512");
  hash.update(bytes.subarray(0, signature.start)).update(bytes.subarray(next, directory));
  for (const { at, length, start } of entries) {
    if (at === signature.at) continue;
    const record = Buffer.from(bytes.subarray(at, at + length));
    record.writeUInt32LE(start > signature.start ? start - size : start, 42);
    hash.update(record);
  }
  const last = Buffer.from(bytes.subarray(end));
  last.writeUInt16LE(last.readUInt16LE(8) - 1, 8);
  last.writeUInt16LE(last.readUInt16LE(10) - 1, 10);
  last.writeUInt32LE(last.readUInt32LE(12) - signature.length, 12);
  last.writeUInt32LE(directory - size, 16);
  return hash.update(last).digest("base64");
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The records of the directory, which has to end where its end begins. */
function entriesOf(
  bytes: Buffer,
  directory: number,
  end: number,
  count: number,
): readonly Entry[] | undefined {
  const entries: Entry[] = [];
  let at = directory;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) return undefined;
    const named = bytes.readUInt16LE(at + 28);
    const length = 46 + named + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const name = bytes.toString("utf8", at + 46, at + 46 + named);
    entries.push({ name, at, length, start: bytes.readUInt32LE(at + 42) });
    at += length;
  }
  return at === end && entries.every(({ start }) => start + 4 <= directory) ? entries : undefined;
}
