import test from "ava";
import { readAnswerHead } from "./answer-head.js";

const read = (text: string, method = "GET") => readAnswerHead(Buffer.from(text, "latin1"), method);

test("a response head is forwarded without its connection headers", (t) => {
  const text =
    "HTTP/1.0 404 Nothing h\xe9re\r\nSET-cookie: a=b\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\nConnection: keep-alive, x-hop\r\nContent-Length: 3\r\n\r\n";
  t.deepEqual(read(`${text}abc`), {
    kind: "head",
    status: 404,
    text: "HTTP/1.1 404 Nothing h\xe9re\r\nSET-cookie: a=b\r\nContent-Length: 3\r\nConnection: close\r\n\r\n",
    length: text.length,
    bodyLength: 3,
  });
});

for (const [what, text, method, bodyLength] of [
  ["with a length", "200 OK\r\nContent-Length: 12", "GET", 12],
  ["with the same length twice", "200 OK\r\nContent-Length: 2\r\ncontent-length: 2", "GET", 2],
  ["without a length", "200 OK\r\nA: b", "GET", undefined],
  ["in chunks", "200 OK\r\nTransfer-Encoding: chunked", "GET", undefined],
  ["to HEAD", "200 OK\r\nContent-Length: 12", "HEAD", 0],
  ["204", "204 No Content", "GET", 0],
  ["304 with the length it would have", "304 Not Modified\r\nContent-Length: 12", "GET", 0],
  ["103, before the answer itself", "103 Early Hints\r\nLink: </a>", "GET", 0],
] as const) {
  test(`the body of a response ${what} is ${bodyLength ?? "everything up to the end"}`, (t) => {
    const head = read(`HTTP/1.1 ${text}\r\n\r\n`, method);
    t.is(head.kind === "head" ? head.bodyLength : head.kind, bodyLength);
  });
}

test("a status needs no phrase, and a value may continue on the next line", (t) => {
  const head = read("HTTP/1.1 200\r\nA: b\r\n\tc\r\n\r\n");
  t.is(head.kind === "head" && head.text, "HTTP/1.1 200 \r\nA: b c\r\nConnection: close\r\n\r\n");
});

test("an incomplete head is partial, up to 64 KiB", (t) => {
  t.is(read("HTTP/1.1 200 OK\r\nA: b\r\n").kind, "partial");
  t.is(read(`HTTP/1.1 200 OK\r\nA: ${"b".repeat(65_536)}`).kind, "malformed");
});

for (const text of [
  "SSH-2.0-x",
  "HTTP/2 200 OK",
  "HTTP/1.1 20 OK",
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x",
  "HTTP/1.1 200 OK\nA: b",
  "HTTP/1.1 200 OK\r\nA : b",
  "HTTP/1.1 200 OK\r\nA: b\0",
  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
  "HTTP/1.1 200 OK\r\nContent-Length: -1",
  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
]) {
  test(`${JSON.stringify(text)} is malformed`, (t) => {
    t.is(read(`${text}\r\n\r\n`).kind, "malformed");
  });
}
