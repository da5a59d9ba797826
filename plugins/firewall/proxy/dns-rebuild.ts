/**
 * Builds the messages that pass between a command and a DNS server anew, from the parts that mean something: options,
 * additional records and trailing bytes could carry data.
 */
import { type IpAddress, parseIpAddress } from "../policy/address.js";
import type { DnsQuestion } from "./dns-message.js";

const headerLength = 12;
const internet = 1;
const mostRecords = 200;
const longestName = 255;
/** The size that fits into one packet on every network. */
const packetSize = 1232;

/** Transfers of zones, requests for any type, and other types that are none. */
export function isMetaType(type: number): boolean {
  return type === 0 || type === 41 || (type >= 128 && type <= 255);
}

/** The question in lower case with an id of its own. */
export function rebuiltQuery(message: Buffer, { end }: DnsQuestion, id: number): Buffer {
  const head = Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
  const size = [packetSize >> 8, packetSize & 255];
  return Buffer.concat([
    head,
    lowerCase(message.subarray(headerLength, end)),
    Buffer.from([0, 0, 41, ...size, 0, 0, 0, 0, 0, 0]),
  ]);
}

/** The answer's records in a response to `message`; undefined if the answer is invalid or for another question. */
export function rebuiltAnswer(
  answer: Buffer,
  message: Buffer,
  { end }: DnsQuestion,
  tcp: boolean,
): Buffer | undefined {
  const question = message.subarray(headerLength, end);
  const echoed = lowerCase(answer.subarray(headerLength, end));
  if (answer.length < end || answer.readUInt16BE(4) !== 1) return undefined;
  if (((answer[2] ?? 0) & 0xf8) !== 0x80 || !echoed.equals(lowerCase(question))) return undefined;
  const records = recordsOf(answer, end);
  if (records === undefined) return undefined;
  const head = Buffer.from(message.subarray(0, headerLength));
  head[2] = 0x80 | ((message[2] ?? 0) & 0x01);
  head[3] = 0x80 | ((answer[3] ?? 0) & 0x0f);
  head.fill(0, 4);
  head.writeUInt16BE(1, 4);
  const length = end + records.reduce((sum, { length }) => sum + length, 0);
  const hasOptions = message.readUInt16BE(10) > 0;
  const limit = tcp ? 65_535 : hasOptions ? packetSize : 512;
  const isCut = ((answer[2] ?? 0) & 0x02) !== 0 || length > limit;
  if (isCut) head[2] |= 0x02;
  else head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question, ...(isCut ? [] : records)]);
}

/** The addresses in a rebuilt answer, in the spelling of `parseIpAddress`. */
export function addressesIn(rebuilt: Buffer, { end }: DnsQuestion): IpAddress[] {
  const found: IpAddress[] = [];
  const count = rebuilt.readUInt16BE(6);
  for (let at = end, index = 0; index < count; index += 1) {
    const owner = readName(rebuilt, at);
    if (!owner) break;
    const from = owner.next + 10;
    at = from + rebuilt.readUInt16BE(owner.next + 8);
    const data = rebuilt.subarray(from, at);
    const type = rebuilt.readUInt16BE(owner.next);
    const text =
      type === 1
        ? data.join(".")
        : type === 28
          ? (data.toString("hex").match(/.{4}/g) ?? []).join(":")
          : undefined;
    const address = text === undefined ? undefined : parseIpAddress(text);
    if (address !== undefined) found.push(address);
  }
  return found;
}

/** A length byte is below every letter. */
function lowerCase(question: Buffer): Buffer {
  const name = question
    .subarray(0, -4)
    .map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));
  return Buffer.concat([name, question.subarray(-4)]);
}

function recordsOf(answer: Buffer, start: number): Buffer[] | undefined {
  const records: Buffer[] = [];
  const count = answer.readUInt16BE(6);
  if (count > mostRecords) return undefined;
  for (let at = start, index = 0; index < count; index += 1) {
    const owner = readName(answer, at);
    if (!owner || owner.next + 10 > answer.length) return undefined;
    const fixed = answer.subarray(owner.next, owner.next + 8);
    const [type, kind] = [fixed.readUInt16BE(0), fixed.readUInt16BE(2)];
    const from = owner.next + 10;
    at = from + answer.readUInt16BE(owner.next + 8);
    if (at > answer.length) return undefined;
    // Service records could carry keys that encrypt the server name (ECH).
    if (kind !== internet || isMetaType(type) || type === 64 || type === 65) continue;
    const data = rebuiltData(answer, type, from, at);
    if (data === undefined) return undefined;
    const length = Buffer.from([data.length >> 8, data.length & 255]);
    records.push(Buffer.concat([owner.name, fixed, length, data]));
  }
  return records;
}

/** Bytes before the names of a type's data, and how many names there are. */
const names: Readonly<Record<number, readonly [before: number, names: number]>> = {
  2: [0, 1],
  5: [0, 1],
  6: [0, 2],
  12: [0, 1],
  15: [2, 1],
  33: [6, 1],
  39: [0, 1],
};
const fixedLength: Readonly<Record<number, number>> = { 1: 4, 28: 16 };

/** With its names written out, since pointers lead to parts that are not there any more. */
function rebuiltData(answer: Buffer, type: number, from: number, to: number): Buffer | undefined {
  const length = fixedLength[type];
  if (length !== undefined && to - from !== length) return undefined;
  const [before, count] = names[type] ?? [to - from, 0];
  const parts = [answer.subarray(from, from + before)];
  let at = from + before;
  for (let index = 0; index < count; index += 1) {
    const read = readName(answer, at);
    if (!read || read.next > to) return undefined;
    parts.push(read.name);
    at = read.next;
  }
  parts.push(answer.subarray(at, to));
  return Buffer.concat(parts);
}

/** The name at an offset without pointers, and the offset after it. */
function readName(
  answer: Buffer,
  start: number,
): { readonly name: Buffer; readonly next: number } | undefined {
  const parts: Buffer[] = [];
  let next: number | undefined;
  let size = 0;
  // A pointer leads to an earlier part, so that reading ends.
  for (let at = start, bound = start; ; ) {
    const length = answer[at];
    if (length === undefined) return undefined;
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (answer[at + 1] ?? 0);
      if (target >= bound || target < headerLength) return undefined;
      next ??= at + 2;
      at = target;
      bound = target;
      continue;
    }
    size += length + 1;
    if (length > 63 || size > longestName || at + length >= answer.length) return undefined;
    parts.push(answer.subarray(at, at + length + 1));
    at += length + 1;
    if (length === 0) return { name: Buffer.concat(parts), next: next ?? at };
  }
}
