/** The parts of DNS messages that a policy needs: parses questions, builds answers and refusals. */
import { isIPv4 } from "node:net";

export interface DnsQuestion {
  readonly id: number;
  /** Lower case, without a trailing dot; the empty string is the root. */
  readonly name: string;
  readonly type: number;
  /** The offset after the question. */
  readonly end: number;
}

export const recordType = { A: 1, AAAA: 28, SVCB: 64, HTTPS: 65 } as const;
export const responseCode = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  noSuchName: 3,
  refused: 5,
} as const;

const headerLength = 12;

/** Parses a query with exactly one question; undefined for anything else. */
export function readQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < headerLength + 5) return undefined;
  const isQuery = ((message[2] ?? 0) & 0xf8) === 0;
  if (!isQuery || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = headerLength;
  for (;;) {
    const length = message[at];
    // Questions need no compression pointers.
    if (length === undefined || length > 63) return undefined;
    at += 1;
    if (length === 0) break;
    if (at + length > message.length) return undefined;
    const label = message.toString("latin1", at, at + length);
    // A dot within a label would make another name of it.
    if (!/^[\w-]+$/.test(label)) return undefined;
    labels.push(label);
    at += length;
  }
  if (at + 4 > message.length || at - headerLength > 255) return undefined;
  const name = labels.join(".").toLowerCase();
  return { id: message.readUInt16BE(0), name, type: message.readUInt16BE(at), end: at + 4 };
}

export function emptyResponse(query: Buffer, question: DnsQuestion, code: number): Buffer {
  return response(query, question, code, []);
}

/** A response with one address, or an empty one if the question is for the other family. */
export function addressResponse(
  query: Buffer,
  question: DnsQuestion,
  address: string,
  seconds = 60,
): Buffer {
  const fits = question.type === recordType.A && isIPv4(address);
  return response(query, question, responseCode.noError, fits ? [address] : [], seconds);
}

function response(
  query: Buffer,
  { end }: DnsQuestion,
  code: number,
  addresses: readonly string[],
  seconds = 60,
): Buffer {
  const head = Buffer.from(query.subarray(0, end));
  const wantsRecursion = (query[2] ?? 0) & 0x01;
  head[2] = 0x80 | wantsRecursion;
  head[3] = 0x80 | code;
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([
      0xc0,
      headerLength,
      0,
      recordType.A,
      0,
      1,
      0,
      0,
      0,
      seconds,
      0,
      4,
      ...address.split(".").map(Number),
    ]),
  );
  return Buffer.concat([head, ...records]);
}
