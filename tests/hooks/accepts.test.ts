/** What hooks accept, over the real language: configuration and request on the left, the command on the right. */
import { gzipSync } from "node:zlib";
import test from "ava";
import { isSecret } from "../../plugins/hooks/decide/command.js";
import { decide } from "../../plugins/hooks/decide/decide.js";
import { push, request, type Sent, sign, VERIFY } from "../../plugins/hooks/testing/request.js";
import { hookOf } from "./hook-of.js";

const PACKED = gzipSync('{"a":1}');

const accepted: ReadonlyArray<
  readonly [title: string, hook: string, sent: Sent, argv: readonly string[]]
> = [
  ["constants", 'run = ["echo", "a b", "$HOME;ls"]', {}, ["echo", "a b", "$HOME;ls"]],
  [
    "the payload",
    'run = ["x", payload.after, payload.commits[0].id]',
    { json: push },
    ["x", "abc", "c1"],
  ],
  [
    "numbers and truth values",
    'run = ["x", payload.n, payload.n > 2]',
    { json: push },
    ["x", "3", "true"],
  ],
  [
    "numbers too long for a double, exactly",
    'run = ["x", payload.id]',
    { body: '{"id":12345678901234567890}', headers: { "content-type": "application/json" } },
    ["x", "12345678901234567890"],
  ],
  [
    "a header in any case",
    'run = ["x", header["X-GitHub-EVENT"]]',
    { headers: { "x-github-event": "push" } },
    ["x", "push"],
  ],
  [
    "the query",
    'run = ["x", query.a, query["b c"]]',
    { query: "a=1&b%20c=2&a=3" },
    ["x", "1", "2"],
  ],
  ["method and address", 'run = ["x", method, remote_ip]', {}, ["x", "POST", "192.0.2.7"]],
  ["the raw body", 'run = ["x", body]', { body: "hello" }, ["x", "hello"]],
  [
    "a default for what is missing",
    'run = ["x", payload.env ?? "prod"]',
    { json: push },
    ["x", "prod"],
  ],
  [
    "JSON within a form",
    'run = ["x", json_decode(payload.payload).ref]',
    {
      body: `payload=${encodeURIComponent(JSON.stringify(push))}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
    ["x", "refs/heads/main"],
  ],
  [
    "a condition that holds",
    'run = ["x"]\nwhen = payload.ref =~ re"^refs/heads/(main|x)$"',
    { json: push },
    ["x"],
  ],
  [
    "a good signature",
    `run = ["x"]\n${VERIFY}`,
    {
      body: "hi",
      headers: { "x-hub-signature-256": sign("hi") },
    },
    ["x"],
  ],
  [
    "an address in the network that is let in",
    'run = ["x"]\nwhen = cidr_contains("192.0.2.0/24", remote_ip)',
    {},
    ["x"],
  ],
  [
    "a good token",
    'run = ["x"]\nverify "token" { header = "X-Gitlab-Token"; secret = secret("env:S") }',
    { headers: { "x-gitlab-token": "hunter22" } },
    ["x"],
  ],
  [
    "one of two secrets",
    `run = ["x"]\n${VERIFY}\nverify "hmac" { header = "X-Other"; secret = secret("env:S") }`,
    {
      body: "hi",
      headers: { "x-other": sign("hi") },
    },
    ["x"],
  ],
  [
    "a signature over the packed body",
    `run = ["x", payload.a]\n${VERIFY}`,
    {
      body: PACKED,
      headers: {
        "content-type": "application/json",
        "content-encoding": "gzip",
        "x-hub-signature-256": sign(PACKED),
      },
    },
    ["x", "1"],
  ],
  [
    "a field and a file of a form",
    'run = ["x", payload.ref, files.log.name, files.log.text, files.log.size]',
    {
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: '--x\r\nContent-Disposition: form-data; name="ref"\r\n\r\nmain\r\n--x\r\nContent-Disposition: form-data; name="log"; filename="a.log"\r\n\r\nhi\r\n--x--',
    },
    ["x", "main", "a.log", "hi", "2"],
  ],
  [
    "an address that is let in",
    'run = ["x"]\nallow_from = ["10.0.0.0/8", "192.0.2.0/24"]',
    {},
    ["x"],
  ],
  [
    "one of a list of secrets",
    'run = ["x"]\nverify "bearer" { secret = [secret("env:NEW"), secret("env:OLD")] }',
    { headers: { authorization: "Bearer hunter22" } },
    ["x"],
  ],
  [
    "a signature of time and body, made just now",
    `run = ["x"]
    verify "hmac" {
      header = "X-Sign"
      signed = "\${header["X-Time"]}.\${body}"
      timestamp = header["X-Time"]
      secret = secret("env:S")
    }`,
    { body: "hi", headers: { "x-time": "1767312000", "x-sign": sign("1767312000.hi") } },
    ["x"],
  ],
  [
    "parameters of its path",
    'run = ["x", path.env, path.version ?? "latest"]',
    { path: { env: "prod" } },
    ["x", "prod", "latest"],
  ],
  ["a GET that is allowed", 'run = ["x"]\nmethods = ["GET"]', { method: "GET" }, ["x"]],
  ["an empty text that was sent", 'run = ["x", payload.a]', { json: { a: "" } }, ["x", ""]],
];

/** As Alertmanager sends it. */
const alerts = {
  status: "firing",
  alerts: [
    {
      status: "firing",
      labels: { alertname: "DiskFull", severity: "critical" },
      annotations: { summary: "No space left" },
    },
    { status: "resolved", labels: { alertname: "Slow" }, annotations: {} },
  ],
};

for (const [expression, text] of [
  ["payload.alerts[0].status", "firing"],
  ["payload.alerts[-1].labels.alertname", "Slow"],
  ["payload.alerts[7].status ?? payload.status", "firing"],
  ['join(payload.alerts[*].labels.alertname, ", ")', "DiskFull, Slow"],
  ['contains(payload.alerts[*].labels.alertname, "Slow")', "true"],
  ['any([for a in payload.alerts: a.status == "firing"])', "true"],
  ['all([for a in payload.alerts: a.status == "firing"])', "false"],
  ['length([for a in payload.alerts if a.labels.severity == "critical": a])', "1"],
  [
    'join([for a in payload.alerts: a.annotations.summary ?? a.labels.alertname], "; ")',
    "No space left; Slow",
  ],
] as const) {
  test(`of alerts, ${expression} is ${text}`, async (t) => {
    const decision = decide(request({ json: alerts }), await hookOf(`run = ["x", ${expression}]`));
    t.deepEqual(decision.kind === "run" ? decision.command.argv : decision.refusal, ["x", text]);
  });
}

for (const [title, hook, sent, argv] of accepted) {
  test(`runs with ${title}`, async (t) => {
    const decision = decide(request(sent), await hookOf(hook));
    t.deepEqual(decision.kind === "run" ? decision.command.argv : decision.refusal, argv);
  });
}

test("variables and input take secrets, which stay unseen", async (t) => {
  const hook = await hookOf(
    'run = ["x"]\nenv = { A = secret("env:S"), B = payload.n }\nstdin = secret("env:S")',
  );
  const decision = decide(request({ json: push }), hook);
  if (decision.kind !== "run") return t.fail(decision.refusal.detail);
  const { argv, env, stdin, reply } = decision.command;
  t.is(
    JSON.stringify({ argv, env, stdin, reply }),
    '{"argv":["x"],"env":{"A":"(secret)","B":"3"},"stdin":"(secret)","reply":{"headers":{}}}',
  );
  t.is(typeof env.A === "object" && env.A.reveal(), "hunter22");
  t.is(stdin && isSecret(stdin) && stdin.reveal(), "hunter22");
});

test("an input that is no text is JSON", async (t) => {
  const decision = decide(request({ json: push }), await hookOf('run = ["x"]\nstdin = payload'));
  t.is(decision.kind === "run" && decision.command.stdin, JSON.stringify(push));
});
