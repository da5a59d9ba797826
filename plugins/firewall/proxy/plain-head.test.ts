import test from "ava";
import { readPlainHead } from "./plain-head.js";

const head = (text: string) => readPlainHead(Buffer.from(text, "latin1"));
const get = "GET http://a.test/b?c=d HTTP/1.1\r\nHost: a.test\r\n";

test("a usual request is parsed with its raw headers and its length", (t) => {
  t.deepEqual(head(`${get}user-AGENT:\tcurl/8 \r\nAccept: */*\r\nX-Empty:\r\n\r\nmore`), {
    method: "GET",
    url: "http://a.test/b?c=d",
    httpVersion: "1.1",
    rawHeaders: [
      ...["Host", "a.test", "user-AGENT", "curl/8", "Accept", "*/*"],
      ...["X-Empty", ""],
    ],
    headers: { "user-agent": "curl/8", accept: "*/*" },
    length: get.length + 46,
  });
});

test("CONNECT is parsed by its authority without the bytes after it", (t) => {
  const text = "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n";
  const read = head(`${text}\x16\x03\x01`);
  t.is(read?.method, "CONNECT");
  t.is(read?.url, "a.test:443");
  t.is(read?.length, text.length);
});

for (const [what, text] of [
  ["one that is not whole", `${get}\r`],
  ["another method", `${get.replace("GET", "POST")}\r\n`],
  ["a method in small letters", `${get.replace("GET", "get")}\r\n`],
  ["HTTP/1.0", `${get.replace("HTTP/1.1", "HTTP/1.0")}\r\n`],
  ["a space in its target", `${get.replace("/b", "/ b")}\r\n`],
  ["two spaces before its target", `${get.replace(" ", "  ")}\r\n`],
  ["a target that is not ASCII", `${get.replace("/b", "/\xff")}\r\n`],
  ["no host", "GET http://a.test/ HTTP/1.1\r\nAccept: */*\r\n\r\n"],
  ["a length", `${get}Content-Length: 0\r\n\r\n`],
  ["a coding", `${get}transfer-encoding: chunked\r\n\r\n`],
  ["an upgrade", `${get}UPGRADE: websocket\r\n\r\n`],
  ["an expectation", `${get}Expect: 100-continue\r\n\r\n`],
  ["a space before a colon", `${get}X : y\r\n\r\n`],
  ["a folded line", `${get}X: y\r\n z\r\n\r\n`],
  ["a field without a name", `${get}: y\r\n\r\n`],
  ["a field that is none", `${get}X\r\n\r\n`],
  ["a NUL", `${get}X: a\0b\r\n\r\n`],
  ["a lone carriage return", `${get}X: a\rb\r\n\r\n`],
  ["a lone line feed", `${get}X: a\nContent-Length: 5\r\n\r\n`],
  ["a value that is not ASCII", `${get}X: \xe9\r\n\r\n`],
  ["an empty line before it", `\r\n${get}\r\n`],
  ["more fields than anybody sends", `${get}${"X: y\r\n".repeat(100)}\r\n`],
  ["a head longer than most", `${get}X: ${"y".repeat(16_384)}\r\n\r\n`],
  ["TLS", "\x16\x03\x01\r\n\r\n"],
] as const) {
  test(`${what} is left to Node's parser`, (t) => {
    t.is(head(text), undefined);
  });
}
