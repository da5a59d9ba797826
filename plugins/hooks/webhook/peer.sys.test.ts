/**
 * The same requests to the existing server and to this one. What is expected stands in the table; where the existing
 * server is installed (`apt-get install webhook`), it has to say the same.
 */
import { createHmac } from "node:crypto";
import test from "ava";
import { needs } from "../../../tests/support/needs.js";
import { existing, peerProgram } from "./testing/peer.js";
import { ask, type Sent, serving } from "./testing/running.js";

const payload = (name: string): object => ({ source: "payload", name });
const echo = (id: string, args: readonly object[], more: object = {}): object => ({
  id,
  "execute-command": "/bin/echo",
  "pass-arguments-to-command": args,
  "include-command-output-in-response": true,
  ...more,
});
const value = (wanted: unknown, parameter: object): object => ({
  match: { type: "value", value: wanted, parameter },
});
const hmac = {
  match: {
    type: "payload-hmac-sha256",
    secret: "hunter22",
    parameter: { source: "header", name: "X-Sig" },
  },
};
const rule = (id: string, written: object, more: object = {}): object =>
  echo(id, [{ source: "string", name: "ran" }], { "trigger-rule": written, ...more });
const script = (id: string, text: string, more: object): object =>
  echo(
    id,
    [
      { source: "string", name: "-c" },
      { source: "string", name: text },
    ],
    { "execute-command": "/bin/sh", ...more },
  );

const hooks = [
  echo("values", ["s", "f", "big", "t", "n", "o", "l"].map(payload)),
  echo("whole", [{ source: "entire-payload" }, { source: "entire-query" }]),
  echo("raw", [{ source: "raw-request-body" }]),
  echo("path", ["a.b", "dotted.key", "l.0.x", "l.00.x", "l.9", "a.b.c"].map(payload)),
  echo("root", [payload("root.0.event")]),
  echo("query", [
    { source: "url", name: "q" },
    { source: "query", name: "r" },
  ]),
  echo("header", [{ source: "header", name: "x-one" }]),
  echo("method", [{ source: "request", name: "METHOD" }]),
  echo("parsed", [payload("p.x")], { "parse-parameters-as-json": [payload("p")] }),
  echo(
    "env",
    [
      { source: "string", name: "HOOK_MINE" },
      { source: "string", name: "HOOK_a.b" },
    ],
    {
      "execute-command": "/usr/bin/printenv",
      "pass-environment-to-command": [
        payload("a.b"),
        { ...payload("s"), envname: "HOOK_MINE" },
        payload("gone"),
      ],
    },
  ),
  script("file", 'cat "$HOOK_DATA"', {
    "pass-file-to-command": [{ ...payload("data"), base64decode: true }],
  }),
  rule("signed", hmac),
  rule("value", value(1, payload("v"))),
  rule("not-missing", { not: value("x", payload("gone")) }),
  rule("or-missing", { or: [value("x", payload("gone")), value(1, payload("v"))] }),
  rule("null", value("x", payload("n.x"))),
  rule("pattern", {
    match: { type: "regex", regex: "(?i)^A[[:digit:]]+\\z", parameter: payload("v") },
  }),
  rule("bad-pattern", { match: { type: "regex", regex: "(?=a)", parameter: payload("v") } }),
  rule("local", { match: { type: "ip-whitelist", "ip-range": "127.0.0.0/8" } }),
  rule("elsewhere", { match: { type: "ip-whitelist", "ip-range": "192.0.2.0/24" } }),
  rule("mismatch", { or: [] }, { "trigger-rule-mismatch-http-response-code": 418 }),
  rule("empty", {}),
  script("fails", "echo out; echo err >&2; exit 3", {}),
  script("fails-loudly", "echo out; echo err >&2; exit 3", {
    "include-command-output-in-response-on-error": true,
  }),
  {
    id: "background",
    "execute-command": "/nowhere/at/all",
    "response-message": "thank you",
    "success-http-response-code": 201,
    "response-headers": [{ name: "X-Own", value: "1" }],
  },
  { id: "post", "execute-command": "/bin/true", "http-methods": ["post "] },
  { id: "a/b c", "execute-command": "/bin/true", "response-message": "<html><b>x" },
];

const json = (body: string, more: Sent = {}): Sent => ({
  ...more,
  body,
  headers: { "content-type": "application/json", ...more.headers },
});
const signed = (body: string, prefix = ""): Sent =>
  json(body, {
    headers: { "x-sig": prefix + createHmac("sha256", "hunter22").update(body).digest("hex") },
  });
const form = { "content-type": "application/x-www-form-urlencoded" };
const NOT = "Hook rules were not satisfied.";
const ERROR = "Error occurred while evaluating hook rules.";
const FAILED =
  "Error occurred while executing the hook's command. Please check your logs for more details.";

const rows: ReadonlyArray<readonly [path: string, sent: Sent, status: number, body: string]> = [
  [
    "values",
    json(
      '{"s":"x","f":1.0,"big":12345678901234567890,"t":true,"n":null,"o":{"b":1,"a":[2.50]},"l":["<&>"]}',
    ),
    200,
    'x 1.0 12345678901234567890 true <nil> {"a":[2.50],"b":1} ["\\u003c\\u0026\\u003e"]\n',
  ],
  [
    "whole?b=2&a=1&a=3",
    json('{"z":1,"é":"\u2028","A":null}'),
    200,
    '{"A":null,"z":1,"é":"\\u2028"} {"a":"1","b":"2"}\n',
  ],
  ["whole", { body: "x", headers: { "content-type": "text/plain" } }, 200, "null {}\n"],
  ["raw", { body: " as is ", headers: { "content-type": "text/plain" } }, 200, " as is \n"],
  ["path", json('{"a":{"b":"B"},"dotted.key":"D","l":[{"x":"X"}]}'), 200, "B D X X  \n"],
  ["root", json('[{"event":"push"}]'), 200, "push\n"],
  ["root", json('{"root":[{"event":"own"}]} trailing'), 200, "own\n"],
  ["root", json('{"broken'), 200, "\n"],
  ["query?q=x+y%20z&q=2&r=%zz", {}, 200, "x y z \n"],
  ["query?q=1;r=2&r=3", {}, 200, " 3\n"],
  ["header", { headers: { "X-ONE": "v" } }, 200, "v\n"],
  ["method", { method: "PUT" }, 200, "PUT\n"],
  ["values", { body: "s=a+b&s=c&f=%41", headers: form }, 200, "a b A     \n"],
  ["values", { body: "s=a;f=b", headers: form }, 200, "      \n"],
  ["path", { body: "<a><b>B</b></a>", headers: { "content-type": "text/xml" } }, 200, "B     \n"],
  ["parsed", { body: `p=${encodeURIComponent('{"x":1.50}')}`, headers: form }, 200, "1.50\n"],
  ["env", json('{"a":{"b":"B"},"s":"S"}'), 200, "S\nB\n"],
  ["file", json('{"data":"Ynl0ZXM="}'), 200, "bytes"],
  ["signed", signed('{"a":1}'), 200, "ran\n"],
  ["signed", signed('{"a":1}', "sha256="), 200, "ran\n"],
  ["signed", signed('{"a":1}', "sha256=00,sha256="), 200, "ran\n"],
  ["signed", json("{}", { headers: { "x-sig": "00" } }), 500, ERROR],
  ["signed", json("{}"), 200, NOT],
  ["value", json('{"v":1}'), 200, "ran\n"],
  ["value", json('{"v":"1"}'), 200, "ran\n"],
  ["value", json('{"v":1.0}'), 200, NOT],
  ["not-missing", json("{}"), 200, "ran\n"],
  ["or-missing", json('{"v":1}'), 200, "ran\n"],
  ["null", json('{"n":null}'), 500, ERROR],
  ["pattern", json('{"v":"a12"}'), 200, "ran\n"],
  ["pattern", json('{"v":"a12\\n"}'), 200, NOT],
  ["bad-pattern", json('{"v":"a"}'), 500, ERROR],
  ["local", {}, 200, "ran\n"],
  ["elsewhere", {}, 200, NOT],
  ["mismatch", {}, 418, NOT],
  ["empty", {}, 200, NOT],
  ["fails", {}, 500, FAILED],
  ["fails-loudly", {}, 500, "out\nerr\n"],
  ["background", {}, 201, "thank you"],
  ["post", { method: "GET" }, 405, ""],
  ["a/b%20c", {}, 200, "<html><b>x"],
  ["unknown", {}, 404, "Hook not found."],
  ["../hooks//value?x=1", {}, 301, ""],
  [
    "raw",
    { headers: { "content-type": "multipart/form-data; boundary=x" }, body: "no form" },
    500,
    "Error occurred while parsing multipart form.",
  ],
];

const shown = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>): object => ({
  ...{ status, body },
  ...Object.fromEntries(
    ["content-type", "location", "x-own", "allow"].map((name) => [name, headers[name]]),
  ),
});

test("the requests get the answers of the table", async (t) => {
  const server = await serving(t, hooks);
  for (const [path, sent, status, body] of rows) {
    const got = await server.ask(`/hooks/${path}`, sent);
    const what = `${path} ${JSON.stringify(sent)}`;
    t.deepEqual({ status: got.status, body: got.body }, { status, body }, what);
  }
});

needs(test, peerProgram)(
  "the same requests get the same answers from the existing server",
  async (t) => {
    const server = await serving(t, hooks);
    const peer = await existing(t, hooks);
    for (const [path, sent] of rows) {
      const got = await server.ask(`/hooks/${path}`, sent);
      const theirs = await ask({ host: "127.0.0.1", port: peer.port }, `/hooks/${path}`, sent);
      t.deepEqual(shown(got), shown(theirs), `${path} ${JSON.stringify(sent)}`);
    }
  },
);
