/** Generates what a client may send inside decrypted TLS from the frames of HTTP/2 (RFC 9113), valid or not. */
import { damaged } from "./damage.js";
import type { Random } from "./random.js";

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

const types = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, push: 5, ping: 6 };
const later = { goaway: 7, window: 8, continuation: 9 };

/** Names and values of a usual request; one is mostly replaced. */
const fields = {
  method: ["GET", "POST", "HEAD", "OPTIONS", "CONNECT", "get", "G T", "PRI"],
  path: ["/open/a", "/open/b?c=d", "/shut", "*", "", "open", "/open/../shut", "/open/\xff", "/ x"],
  scheme: ["https", "http", "ftp", ""],
  authority: [
    "allowed.test",
    "allowed.test:443",
    "evil.test",
    "allowed.test:444",
    "",
    "a b",
    "[::1]",
  ],
};
const others: ReadonlyArray<readonly [name: string, value: string]> = [
  ["host", "allowed.test"],
  ["host", "evil.test"],
  ["te", "trailers"],
  ["te", "gzip"],
  ["connection", "close"],
  ["transfer-encoding", "chunked"],
  ["content-length", "3"],
  ["content-length", "-1"],
  ["upgrade", "websocket"],
  ["cookie", "a=b"],
  ["X-Upper", "x"],
  ["x-line", "a\r\nhost: evil.test"],
  ["x-nul", "a\0b"],
  ["x-long", "y".repeat(3000)],
  [":protocol", "websocket"],
  [":path", "/shut"],
  ["", "x"],
];

/** The frames of a connection: valid, invalid or damaged. */
export function http2Input(random: Random): Buffer {
  const parts = [preface, frame(types.settings, 0, 0, settings(random))];
  for (let count = 1 + random.below(8), stream = 1; count > 0; count -= 1, stream += 2) {
    parts.push(...message(random, random.once(8) ? random.below(8) : stream));
    if (random.once(3)) parts.push(noise(random, stream));
  }
  const bytes = Buffer.concat(parts);
  return random.once(3) ? damaged(bytes, random) : bytes;
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** A request: headers, possibly in pieces, with or without body and trailers. */
function message(random: Random, stream: number): Buffer[] {
  const block = headerBlock(random);
  const body = random.once(2);
  const end = body ? 0 : 1;
  const head = random.once(6)
    ? [
        frame(types.headers, end, stream, block.subarray(0, block.length >> 1)),
        frame(later.continuation, 4, stream, block.subarray(block.length >> 1)),
      ]
    : [frame(types.headers, 4 | end, stream, block)];
  if (!body) return head;
  const trailers = random.once(4);
  return [
    ...head,
    frame(types.data, trailers ? 0 : 1, stream, random.bytes(random.below(40))),
    ...(trailers ? [frame(types.headers, 5, stream, literal("x-sum", "5"))] : []),
  ];
}

function headerBlock(random: Random): Buffer {
  const one = (values: readonly string[]) =>
    random.once(12) ? random.pick(values) : (values[0] ?? "");
  const parts = [
    literal(":method", one(fields.method)),
    literal(":scheme", one(fields.scheme)),
    literal(":path", random.once(3) ? "/shut" : one(fields.path)),
    literal(":authority", one(fields.authority)),
  ];
  if (random.once(16)) parts.splice(random.below(parts.length), 1);
  for (let count = random.below(3); count > 0; count -= 1) {
    const [name, value] = random.pick(others);
    if (random.once(3)) parts.push(literal(name, value));
  }
  if (random.once(16)) parts.push(random.bytes(1 + random.below(10)));
  return Buffer.concat(parts);
}

/** The plainest form of HPACK: a new name, not indexed, no Huffman code. */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** With a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

function settings(random: Random): Buffer {
  const pairs = Array.from({ length: random.below(3) }, () => {
    const pair = Buffer.alloc(6);
    pair.writeUInt16BE(random.below(10), 0);
    pair.writeUInt32BE(random.pick([0, 1, 100, 16_384, 65_535, 0x7fffffff, 0xffffffff]), 2);
    return pair;
  });
  return Buffer.concat(pairs);
}

/** Frames about the connection or about streams that may not exist, valid or not. */
function noise(random: Random, stream: number): Buffer {
  const any = random.pick([0, stream, stream + 2, 2, 0x7fffffff]);
  const four = Buffer.alloc(4);
  four.writeUInt32BE(random.pick([0, 1, 8, 65_535, 0x7fffffff, 0xffffffff]));
  switch (random.below(9)) {
    case 0:
      return frame(types.ping, random.below(2), 0, random.bytes(random.once(4) ? 7 : 8));
    case 1:
      return frame(types.reset, 0, any, four);
    case 2:
      return frame(later.window, 0, any, four);
    case 3:
      return frame(types.priority, 0, any, random.bytes(5));
    case 4:
      return frame(types.settings, random.below(2), any, settings(random));
    case 5:
      return frame(later.goaway, 0, 0, Buffer.concat([four, four]));
    case 6:
      return frame(types.push, 4, any, Buffer.concat([four, literal(":path", "/open/p")]));
    case 7:
      return frame(later.continuation, 4, any, literal("x", "y"));
    default:
      return frame(10 + random.below(240), random.below(256), any, random.bytes(random.below(30)));
  }
}
