/**
 * Hostile and unlucky input, one test for each that a hook server may meet. A hook that must not run leaves no record.
 * Commands that do harm: `hostile-commands.sys.test.ts`; queues, a full disk and a daemon that is killed: `tests/hooks/`.
 */
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import test from "ava";
import type { RunRecord } from "reeve/plugin";
import { type HooksFixture, startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";

const ECHO = `run = ["echo", "ran"]\n${WAIT}`;
const json = { "content-type": "application/json" };

const runsOf = (at: HooksFixture): Promise<readonly RunRecord[]> => at.plugin.runs();

/** Sends bytes as they are, and gives what comes back until the connection is closed. */
function raw(
  at: HooksFixture,
  pieces: ReadonlyArray<string | Buffer>,
  end = false,
): Promise<string> {
  const { hostname, port } = new URL(at.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
    for (const piece of pieces) socket.write(piece);
    if (end) socket.end();
  });
}

const head = (path: string, headers: string, method = "POST"): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;

const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const long = "a".repeat(100_000);

interface Case {
  readonly is: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hook?: string;
  readonly status: number;
  /** What the command printed. */
  readonly says?: string;
}

const bodies: readonly Case[] = [
  {
    is: "a body over the limit",
    body: "a".repeat(2000),
    status: 413,
    headers: { "content-type": "text/plain" },
  },
  { is: "10,000 nested JSON arrays", body: deep(400), status: 400 },
  {
    is: "`__proto__` and `constructor` as names",
    body: '{"__proto__": {"admin": "yes"}, "constructor": {"name": "c"}}',
    hook: `run = ["echo", payload["__proto__"].admin, payload.constructor.name, payload.admin ?? "no"]\n${WAIT}`,
    status: 200,
    says: "yes c no\n",
  },
  {
    is: "a name inherited by every object",
    body: "{}",
    hook: `run = ["echo", payload.toString]\n${WAIT}`,
    status: 422,
  },
  { is: "invalid UTF-8", body: Buffer.from([0x22, 0xff, 0xfe, 0x22]), status: 400 },
  {
    is: "1e400 and a whole number of 20 digits",
    body: '{"big": 1e400, "id": 12345678901234567890}',
    hook: `run = ["echo", payload.big, payload.id]\n${WAIT}`,
    status: 200,
    says: "1e400 12345678901234567890\n",
  },
  {
    is: "a packed body that is larger than the limit unpacked",
    body: gzipSync(Buffer.from(`"${"a".repeat(500_000)}"`)),
    headers: { ...json, "content-encoding": "gzip" },
    status: 413,
  },
  {
    is: "a packed body that is cut off",
    body: gzipSync('{"a": 1}').subarray(0, 15),
    headers: { ...json, "content-encoding": "gzip" },
    status: 400,
  },
  {
    is: "a packing nobody knows",
    body: "x",
    headers: { ...json, "content-encoding": "zstd-2" },
    status: 415,
  },
  {
    is: "multipart without its boundary",
    body: "--x\r\n\r\nnothing",
    headers: { "content-type": "multipart/form-data" },
    status: 400,
  },
  {
    is: "multipart that does not end",
    body: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nnothing',
    headers: { "content-type": "multipart/form-data; boundary=x" },
    status: 400,
  },
  {
    is: "a NUL in an argument",
    body: '{"a": "x\\u0000y"}',
    hook: `run = ["echo", payload.a]\n${WAIT}`,
    status: 422,
  },
  {
    is: "what a shell would run",
    body: JSON.stringify({ a: "$(id); `id` && rm -rf / #" }),
    hook: `run = ["echo", payload.a]\n${WAIT}`,
    status: 200,
    says: "$(id); `id` && rm -rf / #\n",
  },
];
for (const { is, body, headers = json, hook: written = ECHO, status, says } of bodies) {
  test(`${is}: ${status}`, async (t) => {
    const server = SERVER.replace("}", "; body_limit = 1KiB\n}").replace("; body", "\nbody");
    const at = await startFixture(t, server + hook("x", written));
    const answer = await fetch(`${at.url}/x`, { method: "POST", body, headers });
    t.is(answer.status, status);
    const text = await answer.text();
    if (says !== undefined) t.is(text, says);
    t.is((await runsOf(at)).length, status === 200 ? 1 : 0);
  });
}

test("10,000 nested JSON arrays within the limit: 400, at once", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", ECHO));
  t.is((await at.post("x", deep(10_000), json)).status, 400);
  t.deepEqual(await runsOf(at), []);
});

test("a name that is there twice counts once, and the decision and the command see the same", async (t) => {
  const condition = `when = payload.role == "guest"\nrun = ["echo", payload.role]\n${WAIT}`;
  const at = await startFixture(t, SERVER + hook("x", condition));
  const answer = await at.post("x", '{"role": "admin", "role": "guest"}', json);
  const text = await answer.text();
  t.true(answer.status === 403 || answer.status === 400 || text === "guest\n", text);
});

test("headers over the limit: 431", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", ECHO));
  t.regex(await raw(at, [head("/hooks/x", `X-Long: ${long}\r\n`)]), /^HTTP\/1\.1 431 /);
  t.deepEqual(await runsOf(at), []);
});

for (const [does, pieces] of [
  ["its headers", ["POST /hooks/x HTTP/1.1\r\nHost: x\r\nX-A"]],
  ["its body", [head("/hooks/x", "Content-Length: 100\r\n"), "{"]],
] as const) {
  test(`a sender that never ends ${does} is disconnected, and the hook does not run`, async (t) => {
    const server = SERVER.replace('0"', '0"\nrequest_timeout = 1s\n');
    const at = await startFixture(t, server + hook("x", ECHO));
    t.regex(`${await raw(at, pieces)}HTTP/1.1 408 `, /^HTTP\/1\.1 408 /);
    t.deepEqual(await runsOf(at), []);
  });
}

test("a body over the limit ends the connection", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", ECHO));
  const announced = "POST /hooks/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n";
  t.regex(await raw(at, [announced]), /^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  const get = head("/hooks/x", "Content-Length: 1\r\n", "GET");
  const gets = await startFixture(t, SERVER + hook("x", `methods = ["GET"]\n${ECHO}`));
  t.regex(await raw(gets, [get, "x"]), /^HTTP\/1\.1 400 /);
});

test("an upload that is broken off: the hook does not run", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", ECHO));
  const cut = [
    head("/hooks/x", "Content-Type: application/json\r\nContent-Length: 100\r\n"),
    '{"a": 1}',
  ];
  await raw(at, cut, true);
  const chunked = [
    head("/hooks/x", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"),
    '8\r\n{"a": 1}\r\n',
  ];
  await raw(at, chunked, true);
  t.is((await at.post("x")).status, 200);
  t.is((await runsOf(at)).length, 1);
});

const smuggled: ReadonlyArray<readonly [is: string, headers: string]> = [
  ["two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n"],
  ["a length and chunks", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"],
  ["a length that is none", "Content-Length: -1\r\n"],
  ["a line break in a header", "X-A: a\nb: c\r\n\0"],
];
for (const [is, headers] of smuggled) {
  test(`a request with ${is} is refused by the parser`, async (t) => {
    const at = await startFixture(t, SERVER + hook("x", ECHO));
    t.regex(await raw(at, [head("/hooks/x", headers), "x"]), /^HTTP\/1\.1 400 /);
    t.deepEqual(await runsOf(at), []);
  });
}

const paths: readonly string[] = [
  "/hooks/../x",
  "/hooks/..%2fx",
  "/hooks/%2e%2e/hooks/x",
  "/hooks/x/",
  "/hooks//x",
  "/hooks/x%00",
  "/hooks/%ff",
  "/hooks/__proto__",
  "/hooks/constructor",
  "/HOOKS/x",
];
test("only its own path leads to a hook", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", ECHO));
  for (const path of paths) {
    t.regex(await raw(at, [head(path, "Content-Length: 0\r\n")]), /^HTTP\/1\.1 40[04] /, path);
  }
  t.deepEqual(await runsOf(at), []);
});

test("unknown methods: 405, malformed ones: 400", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", ECHO));
  for (const method of ["PROPFIND", "TRACE", "OPTIONS", "PATCH"]) {
    const answer = await raw(at, [head("/hooks/x", "Content-Length: 0\r\n", method)]);
    t.regex(answer, /^HTTP\/1\.1 405 /, method);
  }
  t.regex(await raw(at, [head("/hooks/x", "", "NONSENSE")]), /^HTTP\/1\.1 400 /);
  t.deepEqual(await runsOf(at), []);
});

test("a catastrophic pattern is fast", async (t) => {
  const condition = `when = payload.a =~ re"^(a+)+$"\n${ECHO}`;
  const at = await startFixture(t, SERVER + hook("x", condition));
  const body = JSON.stringify({ a: `${"a".repeat(200_000)}!` });
  t.is((await at.post("x", body, json)).status, 403);
});

test("a wrong credential gets the same response as none", async (t) => {
  const verify = 'verify "github" { secret = secret("env:S") }\n';
  const at = await startFixture(t, SERVER + hook("x", verify + ECHO));
  const right = `sha256=${createHmac("sha256", "hunter22").update("{}").digest("hex")}`;
  const wrong = [
    undefined,
    "",
    "sha256=",
    "sha256=00",
    `${right}0`,
    right.replace(/.$/, "x"),
    long.slice(0, 8000),
  ];
  const answers = new Set<string>();
  for (const signature of wrong) {
    const headers = {
      ...json,
      ...(signature === undefined ? {} : { "x-hub-signature-256": signature }),
    };
    const answer = await at.post("x", "{}", headers);
    answers.add(`${answer.status} ${await answer.text()}`);
  }
  t.is(answers.size, 1, [...answers].join("\n"));
  t.is((await at.post("x", "{}", { ...json, "x-hub-signature-256": right })).status, 200);
});
