import test from "ava";
import { Failure } from "../../../cli/plugin-api/exit.js";
import { parseRequest, type RequestFields } from "./request-file.js";

const files: ReadonlyArray<readonly [does: string, file: string, request: RequestFields]> = [
  [
    "JSON with a body that is no text",
    '{"method":"put","url":"http://x/hooks/a?b=1&c=2","headers":{"X-A":1},"body":{"ref":"main"}}',
    {
      method: "PUT",
      query: "b=1&c=2",
      headers: { "X-A": "1", "content-type": "application/json" },
      body: '{"ref":"main"}',
    },
  ],
  [
    "JSON with a text and a query of names",
    ' {"query":{"a":"x y","b":2},"headers":{"content-type":"text/plain"},"body":"hi","remote_ip":"192.0.2.7"}',
    {
      query: "a=x+y&b=2",
      headers: { "content-type": "text/plain" },
      body: "hi",
      remoteIp: "192.0.2.7",
    },
  ],
  ["JSON with nothing in it", "{}", { query: "", headers: {} }],
  [
    "HTTP as it is on the wire",
    "POST /hooks/a?b=1 HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\n\r\n{}\r\n\r\nmore",
    {
      method: "POST",
      query: "b=1",
      headers: { host: "x", "x-a": "1, 2" },
      body: "{}\r\n\r\nmore",
    },
  ],
  [
    "HTTP from an editor",
    "GET /x HTTP/1.1\nA: b\n",
    { method: "GET", query: "", headers: { a: "b" }, body: "" },
  ],
];
for (const [does, file, request] of files) {
  test(`a request in a file: ${does}`, (t) => {
    t.deepEqual(parseRequest(Buffer.from(file), "`x`"), request);
  });
}

test("a body that is no text stays as it is", (t) => {
  const bytes = Buffer.concat([Buffer.from("POST / HTTP/1.1\n\n"), Buffer.from([0xff, 0x00])]);
  t.is(parseRequest(bytes, "`x`").base64, "/wA=");
});

const mistakes: ReadonlyArray<readonly [file: string, says: RegExp]> = [
  ["{", /^`x` is not valid JSON/],
  ['{"headers":1}', /^`x`: `headers` is an object/],
  ["ref=main", /^`x` is not a request$/],
];
for (const [file, says] of mistakes) {
  test(`${file} is no request`, (t) => {
    const thrown = t.throws(() => parseRequest(Buffer.from(file), "`x`"), { instanceOf: Failure });
    t.regex(thrown?.message ?? "", says);
    t.is(thrown?.exit, 66);
  });
}
