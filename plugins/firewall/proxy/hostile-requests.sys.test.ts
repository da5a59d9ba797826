/** Requests that the fuzzer found, each with its record now. */
import test from "ava";
import { ProxyUnderFuzz } from "../testing/fuzz/proxy-under-fuzz.js";
import { readClientHello } from "./client-hello.js";

/** A client hello with these names, each in its own list. */
function hello(name: string): string {
  const prefixed = (text: string, size: 1 | 2) =>
    String.fromCharCode(...(size === 2 ? [text.length >> 8] : []), text.length & 255) + text;
  const names = `\0\0${prefixed(prefixed(`\0${prefixed(name, 2)}`, 2), 2)}`;
  const body = `\x03\x03${"r".repeat(32)}\0${prefixed("\x13\x01", 2)}${prefixed("\0", 1)}${prefixed(names, 2)}`;
  return `\x16\x03\x01${prefixed(`\x01\0${prefixed(body, 2)}`, 2)}`;
}

const get = "GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n";
const upgrade = `${get}Upgrade: websocket\r\nConnection: Upgrade\r\n`;
const connect = "CONNECT allowed.test:443 HTTP/1.1\r\nHost: allowed.test:443\r\n\r\n";

const cases: ReadonlyArray<readonly [what: string, text: string, statuses: readonly number[]]> = [
  ["a CONNECT before the response to the previous request", `${get}\r\n${connect}`, [400, 499]],
  [
    "an upgrade before the response to the previous request",
    `${get}\r\n${upgrade}\r\n`,
    [400, 499],
  ],
  ["an upgrade with a body", `${upgrade}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, [400]],
  ["an upgrade with bytes that are its body", `${upgrade}Content-Length: 2\r\n\r\nhi`, [400]],
  [
    "a transfer coding that sounds like chunked",
    `${get}Transfer-Encoding: xchunked\r\n\r\n`,
    [400],
  ],
  [
    "more than one transfer coding",
    `${get}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  [
    "chunks in HTTP/1.0",
    `${get.replace("1.1", "1.0")}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  [
    "an invalid TLS server name inside a tunnel to an allowed name",
    connect + hello("a".repeat(64)),
    [403],
  ],
  ["a denied CONNECT with bytes after it", `${connect.replaceAll("allowed", "evil")}x`, [403]],
  ["an upgrade that the origin refuses, with bytes after it", `${upgrade}\r\nx`, [200]],
  ["a TLS name with a port, inside a tunnel", connect + hello("evil.test:443"), [403]],
];
for (const [what, text, statuses] of cases) {
  test(what, async (t) => {
    const proxy = new ProxyUnderFuzz();
    t.deepEqual(await proxy.send("proxy", [Buffer.from(text, "latin1")]), []);
    t.deepEqual([...proxy.statuses.keys()].sort(), statuses);
    await proxy.close();
  });
}

for (const host of ["", "allowed.test:080", "ALLOWED.TEST."]) {
  test(`an origin gets its own name if the client sends "${host}"`, async (t) => {
    const proxy = new ProxyUnderFuzz();
    const request = `GET http://allowed.test/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    t.deepEqual(await proxy.send("proxy", [Buffer.from(request)]), []);
    t.deepEqual([...proxy.statuses.keys()], [200]);
    await proxy.close();
  });
}

test("a client that leaves while the proxy connects leaves nothing open", async (t) => {
  for (const request of [`${get}Content-Length: 5\r\n\r\nab`, `${upgrade}\r\n`]) {
    const proxy = new ProxyUnderFuzz();
    t.deepEqual(await proxy.send("proxy", [Buffer.from(`${request}\0\0\0`)]), []);
    t.true(proxy.statuses.size > 0);
    await proxy.close();
  }
});

test("bytes after a client hello, such as early data, do not change its result", (t) => {
  const bytes = Buffer.from(hello("allowed.test"), "latin1");
  const early = Buffer.from([20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 1, 0]);
  const read = { kind: "hello", serverName: "allowed.test", protocols: [] };
  t.deepEqual(readClientHello(bytes), read);
  t.deepEqual(readClientHello(Buffer.concat([bytes, early])), read);
});
