/** Generates what a client may send to the proxy by the grammar of HTTP/1.1 (RFC 9112), valid or not. */
import { damaged } from "./damage.js";
import { helloInput } from "./hello-input.js";
import type { Random } from "./random.js";

/** The sandbox's socket to connect to. */
export type Listener = "proxy" | "web" | "tls";

export interface HttpInput {
  readonly listener: Listener;
  readonly bytes: Buffer;
}

/** For each element a usual value and difficult ones. */
const hosts = {
  usual: ["allowed.test"],
  odd: [
    ...["allowed.test", "ALLOWED.TEST.", "www.allowed.test", "evil.test", "evil.test:80"],
    ...["allowed.test:80", "allowed.test:81", "allowed.test:443", "allowed.test:99999"],
    ...["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "203.0.113.7"],
    ...["allowed.test@evil.test", "evil.test#allowed.test", "allowed.test\\evil.test", "", " "],
    ...["allowed.test,evil.test", "allowed.test evil.test", "allowed.test\tevil.test"],
    ...["allowed.test\0", "allowed.test:080", "%61llowed.test", "b\xfccher.test"],
  ],
};
const methods = {
  usual: ["GET", "POST"],
  odd: ["GET", "HEAD", "PUT", "OPTIONS", "get", "PRI", "G\0T", "M-SEARCH"],
};
const versions = {
  usual: ["HTTP/1.1"],
  odd: ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "http/1.1"],
};
const paths = {
  usual: ["/a?b=c"],
  odd: [
    ...["/", "/..%2f", "//evil.test/", "/\xff", "*", "", "/#x", "/ x", "/\\evil.test"],
    ...["/a;b", "/a@evil.test"],
  ],
};
const fields = {
  usual: [
    ...["Connection: close", "Connection: keep-alive", "Upgrade: websocket\r\nConnection: Upgrade"],
    ...["Accept: */*", "User-Agent: curl/8", "Proxy-Authorization: Basic eDp5"],
  ],
  odd: [
    ...["Connection: host", "Connection: x-a, TE", "Upgrade: h2c\r\nConnection: Upgrade"],
    ...["Expect: 100-continue", "TE: trailers", "X-A: b\x01c", "X-A : b", " folded: x"],
    ...["X-A: b\r\n c", "X\0A: b", "X-A: \xff\xfe", ": x", 'User-Agent: a"b\\c'],
    ...["User-Agent: \x1b[31m", `X-Long: ${"y".repeat(3000)}`, "Trailer: Host"],
  ],
};
const lineEnds = ["\n", "\r", "\r\r\n", " \r\n", ""];

type Choice = (of: {
  readonly usual: readonly string[];
  readonly odd: readonly string[];
}) => string;

/** Mostly the usual value. */
function choiceOf(random: Random): Choice {
  const every = random.pick([2, 8, 32]);
  return ({ usual, odd }) => random.pick(random.once(every) ? odd : usual);
}

/** Some inputs are valid, some invalid by grammar, some damaged. */
export function httpInput(random: Random): HttpInput {
  const listener = random.pick(["proxy", "proxy", "proxy", "web", "web", "tls"] as const);
  const choose = choiceOf(random);
  const parts: Buffer[] = [];
  if (listener === "tls") {
    parts.push(random.once(8) ? request(listener, random, choose) : hello(random));
  } else {
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      const connects = listener === "proxy" && random.once(4);
      parts.push(connects ? connect(random, choose) : request(listener, random, choose));
    }
  }
  if (random.once(8)) parts.push(random.bytes(random.below(40)));
  const bytes = Buffer.concat(parts);
  return { listener, bytes: random.once(4) ? damaged(bytes, random) : bytes };
}

const latin = (text: string): Buffer => Buffer.from(text, "latin1");

function hello(random: Random): Buffer {
  return helloInput(random, random.once(3)).bytes;
}

function connect(random: Random, choose: Choice): Buffer {
  const host = choose(hosts);
  const port = choose({ usual: [":443", ":80"], odd: [":22", "", ":0443", ":443:80"] });
  const hostHeader = choose({ usual: [host + port], odd: hosts.odd });
  const head = `CONNECT ${host}${port} ${choose(versions)}\r\nHost: ${hostHeader}\r\n\r\n`;
  const inside = port === ":80" ? request("web", random, choose) : hello(random);
  return Buffer.concat([latin(head), random.once(8) ? random.bytes(20) : inside]);
}

function request(listener: Listener, random: Random, choose: Choice): Buffer {
  const host = choose(hosts);
  const whole = listener === "proxy" ? !random.once(16) : random.once(6);
  const scheme = choose({ usual: ["http"], odd: ["https", "ftp", "HTTP", "", "http:"] });
  const target = `${whole ? `${scheme}://${random.once(32) ? choose(hosts) : host}` : ""}${choose(paths)}`;
  const end = () => choose({ usual: ["\r\n"], odd: random.once(4) ? lineEnds : ["\r\n"] });
  const { headers, body } = bodyOf(random, choose);
  const lines = [
    ...(random.once(32) ? [] : [`Host: ${random.once(32) ? choose(hosts) : host}`]),
    ...(random.once(32) ? [`host:${choose(hosts)}`] : []),
    ...Array.from({ length: random.below(3) }, () => choose(fields)),
    ...headers,
  ];
  const head = `${choose(methods)} ${target} ${choose(versions)}${end()}${lines.map((line) => line + end()).join("")}${end()}`;
  return Buffer.concat([latin(head), body]);
}

/** A body with one framing, both, or a broken one. */
function bodyOf(
  random: Random,
  choose: Choice,
): { readonly headers: string[]; readonly body: Buffer } {
  const content = random.bytes(random.below(30));
  const length = `Content-Length: ${content.length}`;
  switch (random.below(8)) {
    case 0:
      return { headers: [choose({ usual: [length], odd: lengths })], body: content };
    case 1: {
      const coding = choose({ usual: ["Transfer-Encoding: chunked"], odd: codings });
      const both = choose({ usual: [""], odd: [length, "Content-Length: 3"] });
      const headers = both === "" ? [coding] : [coding, both];
      return { headers, body: chunked(content, random, choose) };
    }
    default:
      return { headers: [], body: Buffer.alloc(0) };
  }
}

const lengths = [
  ...["Content-Length: -1", "Content-Length: +5", "Content-Length: 0x5", "Content-Length: 5, 5"],
  ...["Content-Length: 99999999999999999999", "Content-Length:", "Content-Length : 5"],
  "Content-Length: 5\r\nContent-Length: 6",
];
const codings = [
  ...[
    "Transfer-Encoding: identity",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: CHUNKED",
  ],
  ...["Transfer-Encoding : chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding:"],
  ...["Transfer-Encoding:\tchunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked\v"],
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
];

function chunked(content: Buffer, random: Random, choose: Choice): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const part = content.subarray(at, at + 1 + random.below(12));
    at += part.length;
    const size = choose({
      usual: [part.length.toString(16)],
      odd: ["-1", "0x2", "ffffffffffffffff", "ffffffffffffffffff", "", "g", "1 ", "0001"],
    });
    const extension = choose({ usual: [""], odd: [";a=b", ';"x', ";a\r", ";\n", " ;a"] });
    const ends = choose({ usual: ["\r\n"], odd: lineEnds });
    parts.push(latin(`${size}${extension}\r\n`), part, latin(ends));
  }
  const last = choose({ usual: ["0\r\n"], odd: ["", "00\r\n", "0;a\r\n", "0\n", "0 \r\n"] });
  const trailer = choose({ usual: [""], odd: ["Host: evil.test\r\n", "X: y\r\n", "broken\r\n"] });
  return Buffer.concat([...parts, latin(`${last}${trailer}\r\n`)]);
}
