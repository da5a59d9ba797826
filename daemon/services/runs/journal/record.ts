/**
 * Binary forms of the journal, little endian: the header of a segment, and a record, which is a header of 64 bytes and a payload, padded to 8 bytes.
 * The header of a record proves itself and its predecessor, so records behind damage are found again, and one whose payload is damaged still
 * says whose it is.
 */
import { crc32 } from "node:zlib";

/** `changed`: neither of the others. */
export type RecordKind = "accepted" | "started" | "ended" | "changed";

export interface RecordHeader {
  readonly kind: RecordKind;
  /** Bytes of the payload. */
  readonly length: number;
  /** Random, one per state directory: records of another are not mistaken for its own. */
  readonly epoch: number;
  /** From 1, without gaps. */
  readonly sequence: number;
  /** The newest record that was on the disk when this one was written. */
  readonly synced: number;
  /** `crc` of the record before this one. */
  readonly previous: number;
  /** Of the run. */
  readonly id: string;
  readonly payloadCrc: number;
  /** Of the header. */
  readonly crc: number;
}

export interface SegmentHeader {
  readonly epoch: number;
  readonly number: number;
  /** Sequence of its first record. */
  readonly first: number;
  /** Records from this one up to `first` were never acknowledged: the disk refused them. 0: none. */
  readonly voidFrom: number;
}

export const headerLength = 64;
const kinds: readonly RecordKind[] = ["accepted", "started", "ended", "changed"];
const RECORD = 0x314a52;
const SEGMENT = 0x47534a52;
const idLength = 20;
const crcAt = 60;

/** Bytes that a payload takes with its header. */
export const recordLength = (payload: number): number => headerLength + Math.ceil(payload / 8) * 8;

export function encodeRecord(
  header: Omit<RecordHeader, "length" | "payloadCrc" | "crc">,
  payload: string,
): { readonly bytes: Buffer; readonly crc: number } {
  const length = Buffer.byteLength(payload);
  const bytes = Buffer.alloc(recordLength(length));
  bytes.write(payload, headerLength, "utf8");
  bytes.writeUInt32LE(RECORD * 256 + kinds.indexOf(header.kind) + 1, 0);
  bytes.writeUInt32LE(length, 4);
  bytes.writeUIntLE(header.epoch, 8, 6);
  bytes.writeUIntLE(header.sequence, 16, 6);
  bytes.writeUIntLE(header.synced, 24, 6);
  bytes.writeUInt32LE(header.previous, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(headerLength, headerLength + length)), 36);
  bytes.write(header.id.slice(0, idLength), 40, "latin1");
  return { bytes, crc: seal(bytes) };
}

/** `undefined` where no header begins. */
export function decodeHeader(bytes: Buffer, at: number): RecordHeader | undefined {
  if (at + headerLength > bytes.length) return undefined;
  const start = bytes.readUInt32LE(at);
  const kind = kinds[(start & 0xff) - 1];
  if (start >>> 8 !== RECORD || kind === undefined || !isSealed(bytes, at)) return undefined;
  return {
    kind,
    length: bytes.readUInt32LE(at + 4),
    epoch: bytes.readUIntLE(at + 8, 6),
    sequence: bytes.readUIntLE(at + 16, 6),
    synced: bytes.readUIntLE(at + 24, 6),
    previous: bytes.readUInt32LE(at + 32),
    payloadCrc: bytes.readUInt32LE(at + 36),
    id: bytes.toString("latin1", at + 40, at + 40 + idLength).replace(/\0+$/, ""),
    crc: bytes.readUInt32LE(at + crcAt),
  };
}

/** `undefined` where it is damaged. */
export function payloadOf(bytes: Buffer, at: number, header: RecordHeader): string | undefined {
  const payload = bytes.subarray(at + headerLength, at + headerLength + header.length);
  if (payload.length < header.length || crc32(payload) !== header.payloadCrc) return undefined;
  return payload.toString("utf8");
}

/** Where the next header begins, from `at` on; the end if there is none. */
export function nextHeader(bytes: Buffer, at: number): number {
  for (let next = at; next + headerLength <= bytes.length; next += 8) {
    if (bytes.readUInt32LE(next) >>> 8 === RECORD && isSealed(bytes, next)) return next;
  }
  return bytes.length;
}

export function encodeSegment({ epoch, number, first, voidFrom }: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(headerLength);
  bytes.writeUInt32LE(SEGMENT, 0);
  bytes.writeUInt32LE(1, 4);
  bytes.writeUIntLE(epoch, 8, 6);
  bytes.writeUIntLE(number, 16, 6);
  bytes.writeUIntLE(first, 24, 6);
  bytes.writeUIntLE(voidFrom, 32, 6);
  seal(bytes);
  return bytes;
}

export function decodeSegment(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < headerLength || bytes.readUInt32LE(0) !== SEGMENT) return undefined;
  if (!isSealed(bytes, 0)) return undefined;
  return {
    epoch: bytes.readUIntLE(8, 6),
    number: bytes.readUIntLE(16, 6),
    first: bytes.readUIntLE(24, 6),
    voidFrom: bytes.readUIntLE(32, 6),
  };
}

/** Writes the checksum of 64 bytes into their end. */
export function seal(bytes: Buffer): number {
  const crc = crc32(bytes.subarray(0, crcAt));
  bytes.writeUInt32LE(crc, crcAt);
  return crc;
}

export const isSealed = (bytes: Buffer, at: number): boolean =>
  crc32(bytes.subarray(at, at + crcAt)) === bytes.readUInt32LE(at + crcAt);
