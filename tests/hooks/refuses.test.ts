/** What hooks refuse, over the real language: configuration and request on the left, the refusal on the right. */
import { gzipSync } from "node:zlib";
import test from "ava";
import { decide } from "../../plugins/hooks/decide/decide.js";
import { push, request, type Sent, sign, VERIFY } from "../../plugins/hooks/testing/request.js";
import { hookOf } from "./hook-of.js";

const refused: ReadonlyArray<
  readonly [title: string, hook: string, sent: Sent, status: number, detail: RegExp]
> = [
  ["another method", 'run = ["x"]', { method: "PUT" }, 405, /^This hook accepts POST\.$/],
  ["HEAD, unless it is allowed", 'run = ["x"]\nmethods = ["GET"]', { method: "HEAD" }, 405, /GET/],
  ["a method in lower case", 'run = ["x"]', { method: "post" }, 405, /POST/],
  [
    "a GET with a body",
    'run = ["x"]\nmethods = ["GET"]',
    { method: "GET", headers: { "content-length": "2" } },
    400,
    /cannot have a body/,
  ],
  [
    "broken JSON",
    'run = ["x"]',
    { body: "{]", headers: { "content-type": "application/json" } },
    400,
    /line 1, column 2/,
  ],
  [
    "a body of an unknown type",
    'run = ["x"]',
    { body: "<a/>", headers: { "content-type": "application/x-unheard-of" } },
    415,
    /application\/x-unheard-of/,
  ],
  [
    "no signature",
    `run = ["x"]\n${VERIFY}`,
    { body: "hi" },
    401,
    /^The signature or credential is missing or invalid\.$/,
  ],
  [
    "a bad signature, in the same words",
    `run = ["x"]\n${VERIFY}`,
    { body: "hi", headers: { "x-hub-signature-256": sign("ho") } },
    401,
    /^The signature or credential is missing or invalid\.$/,
  ],
  [
    "a signature of nothing for something",
    `run = ["x"]\n${VERIFY}`,
    { body: "hi", headers: { "x-hub-signature-256": sign("") } },
    401,
    /credential is missing or invalid/,
  ],
  [
    "an address that is not let in, whatever it can prove",
    `run = ["x"]\nallow_from = ["10.0.0.0/8", "2001:db8::/32"]\n${VERIFY}`,
    { body: "hi", headers: { "x-hub-signature-256": sign("hi") } },
    403,
    /^Requests from this address are not accepted\.$/,
  ],
  [
    "an address nobody knows, where only some are let in",
    'run = ["x"]\nallow_from = ["0.0.0.0/0"]',
    { remoteIp: undefined },
    403,
    /address/,
  ],
  [
    "a signature of what was packed, not of what is sent",
    `run = ["x"]\n${VERIFY}`,
    {
      body: gzipSync("hi"),
      headers: { "content-encoding": "gzip", "x-hub-signature-256": sign("hi") },
    },
    401,
    /credential is missing or invalid/,
  ],
  [
    "what is too long when it is unpacked",
    'run = ["x"]',
    { body: gzipSync("x".repeat(2000)), bodyLimit: 1000, headers: { "content-encoding": "gzip" } },
    413,
    /^The decompressed body is longer/,
  ],
  [
    "a signature of a time long ago",
    `run = ["x"]
    verify "hmac" {
      header = "X-Sign"
      signed = "\${header["X-Time"]}.\${body}"
      timestamp = header["X-Time"]
      secret = secret("env:S")
    }`,
    { body: "hi", headers: { "x-time": "1767311000", "x-sign": sign("1767311000.hi") } },
    401,
    /credential is missing or invalid/,
  ],
  [
    "a signature whose text cannot be made of the request",
    `run = ["x"]
    verify "hmac" {
      header = "X-Sign"
      signed = "\${header["X-Time"]}.\${body}"
      secret = secret("env:S")
    }`,
    { body: "hi", headers: { "x-sign": sign("hi") } },
    401,
    /credential is missing or invalid/,
  ],
  [
    "a bad signature before broken JSON",
    `run = ["x"]\n${VERIFY}`,
    { body: "{", headers: { "content-type": "application/json" } },
    401,
    /credential is missing or invalid/,
  ],
  [
    "a condition that does not hold",
    'run = ["x"]\nwhen = payload.ref == "no"',
    { json: push },
    403,
    /does not meet the hook's condition/,
  ],
  [
    "a condition about something missing",
    'run = ["x"]\nwhen = payload.gone == "no"',
    { json: push },
    403,
    /does not meet/,
  ],
  [
    "a negated condition about something missing",
    'run = ["x"]\nwhen = !(payload.gone == "x")',
    { json: push },
    403,
    /does not meet/,
  ],
  [
    "a condition about a path through null",
    'run = ["x"]\nwhen = payload.nothing.a == 1',
    { json: push },
    403,
    /does not meet/,
  ],
  [
    "the status the hook wants for that",
    'run = ["x"]\nwhen = payload.ref == "no"\nresponse { mismatch_status = 200 }',
    { json: push },
    200,
    /does not meet/,
  ],
  [
    "a condition that cannot be worked out",
    'run = ["x"]\nwhen = payload.ref > 3',
    { json: push },
    422,
    /condition cannot be evaluated/,
  ],
  [
    "an address from elsewhere",
    'run = ["x"]\nwhen = cidr_contains("192.0.2.0/24", remote_ip)',
    { remoteIp: "198.51.100.1" },
    403,
    /does not meet/,
  ],
  [
    "a socket without address where one is wanted",
    'run = ["x"]\nwhen = cidr_contains("192.0.2.0/24", remote_ip)',
    { remoteIp: undefined },
    403,
    /does not meet/,
  ],
  [
    "a missing argument",
    'run = ["x", payload.gone.sha]',
    { json: push },
    422,
    /no `payload\.gone(\.sha)?`, which is needed for argument 1\.$/,
  ],
  [
    "a payload where there is none",
    'run = ["x", payload.a]',
    { body: "hi" },
    422,
    /no `payload(\.a)?`/,
  ],
  [
    "null as an argument",
    'run = ["x", payload.nothing]',
    { json: push },
    422,
    /^Argument 1 cannot be evaluated/,
  ],
  [
    "an object as an argument",
    'run = ["x", payload.commits]',
    { json: push },
    422,
    /Argument 1 cannot be evaluated/,
  ],
  ["a NUL in an argument", 'run = ["x", payload.a]', { json: { a: "a\0b" } }, 422, /NUL/],
  [
    "an argument longer than any may be",
    'run = ["x", payload.a]',
    { json: { a: "é".repeat(70_000) } },
    422,
    /longer than 128 KiB/,
  ],
  [
    "a missing variable",
    'run = ["x"]\nenv = { A = payload.gone }',
    { json: push },
    422,
    /needed for the variable `A`/,
  ],
  [
    "a missing input",
    'run = ["x"]\nstdin = payload.gone',
    { json: push },
    422,
    /needed for the command's input/,
  ],
  [
    "a missing part of the answer",
    'run = ["x"]\nresponse { body = payload.gone }',
    { json: push },
    422,
    /needed for the answer/,
  ],
  [
    "a line break in a header of the answer",
    'run = ["x"]\nresponse { headers = { A = payload.a } }',
    { json: { a: "x\r\nSet-Cookie: y" } },
    422,
    /characters that a header cannot have/,
  ],
  [
    "an empty name for the program",
    "run = [payload.a]",
    { json: { a: "" } },
    422,
    /program's name is empty/,
  ],
];

for (const [title, hook, sent, status, detail] of refused) {
  test(`refuses ${title} with ${status}`, async (t) => {
    const decision = decide(request(sent), await hookOf(hook));
    if (decision.kind === "run") return t.fail(decision.command.argv.join(" "));
    t.is(decision.refusal.status, status);
    t.regex(decision.refusal.detail, detail);
  });
}

test("the operator sees what a condition lacks, the sender does not", async (t) => {
  const decision = decide(
    request({ json: push }),
    await hookOf('run = ["x"]\nwhen = payload.gone == "no"'),
  );
  t.is(decision.kind === "refuse" && decision.refusal.cause, "`payload.gone` is missing");
});

for (const [title, hook, message] of [
  ["a secret among the arguments", 'run = ["x", secret("env:S")]', /secret/],
  ["an empty command", "run = []", /run|at least/],
  ["a name that a request does not have", 'run = ["x", paylod.a]', /did you mean `payload`/],
  ["a method nobody knows", 'run = ["x"]\nmethods = ["POTS"]', /POST/],
] as const) {
  test(`${title} is refused when the configuration is checked`, async (t) => {
    const { message: rendered } = (await t.throwsAsync(hookOf(hook))) ?? {};
    t.regex(rendered ?? "", message);
  });
}
