/** The same generated requests to the existing server and to this one: the lines of both logs are compared. */
import { createHmac } from "node:crypto";
import test from "ava";
import fc from "fast-check";
import { eventually } from "../../../tests/support/eventually.js";
import { needs } from "../../../tests/support/needs.js";
import { existing, peerProgram } from "./testing/peer.js";
import { ask, type Sent, serving } from "./testing/running.js";

const REQUESTS = Number(process.env.PEER_REQUESTS ?? 250);
/** Of the lines. */
const TOLERATED = 0.01;

const of = (source: string, name: string): object => ({ source, name });
const payload = (name: string): object => of("payload", name);
const rule = (type: string, parameter: object, more: object): object => ({
  match: { type, parameter, ...more },
});
const isPush = rule("value", of("header", "X-Event"), { value: "push" });
const signed = (type: string): object =>
  rule(type, of("header", "X-Hub-Signature"), { secret: "hunter22" });
const hook = (id: string, more: object): object => ({
  id,
  "execute-command": "/bin/echo",
  "include-command-output-in-response": true,
  ...more,
});

const hooks = [
  hook("args", {
    "pass-arguments-to-command": ["a", "b.c", "l.1", "l.x", "n.x"].map(payload),
    "pass-environment-to-command": [payload("a"), { ...payload("b.c"), envname: "BC" }],
  }),
  hook("sources", {
    "pass-arguments-to-command": [
      ...[of("query", "q"), of("url", "r"), of("header", "x-event"), of("request", "method")],
      ...[of("request", "nothing"), of("nonsense", "x"), of("string", "constant")],
      ...[of("entire-payload", ""), of("entire-query", ""), of("raw-request-body", "")],
    ],
  }),
  hook("files", {
    "pass-file-to-command": [
      { ...payload("a"), base64decode: true },
      { ...payload("b.c"), envname: "BC" },
    ],
  }),
  hook("parsed", {
    "parse-parameters-as-json": [payload("a"), of("query", "q"), of("string", "{}"), payload("f")],
    "pass-arguments-to-command": [payload("a.x"), of("query", "q.x"), payload("f")],
  }),
  hook("background", { "include-command-output-in-response": false, "response-message": "thanks" }),
  hook("status", { "success-http-response-code": 201, "http-methods": ["POST", "PUT"] }),
  hook("unknown-status", { "success-http-response-code": 999 }),
  hook("no-command", { "execute-command": "/nowhere/at all" }),
  hook("no-program", { "execute-command": "no-such-program" }),
  hook("directory", { "execute-command": "/tmp" }),
  hook("no-permission", { "execute-command": "/etc/passwd" }),
  hook("fails", { "execute-command": "/bin/false" }),
  hook("killed", {
    "execute-command": "/bin/sh",
    "pass-arguments-to-command": [of("string", "-c"), of("string", "echo x; kill -KILL $$")],
  }),
  hook("json-only", { "incoming-payload-content-type": "application/json" }),
  ...Object.entries({
    and: { and: [isPush, rule("value", payload("a"), { value: "1" })] },
    or: { or: [isPush, rule("value", payload("a"), { value: "1" })] },
    not: { not: rule("value", payload("n.x"), { value: "1" }) },
    regex: rule("regex", payload("a"), { regex: "^[0-9]+$" }),
    "bad-regex": rule("regex", payload("a"), { regex: "a(?=b)" }),
    "open-regex": rule("regex", payload("a"), { regex: "a(b" }),
    hmac: signed("payload-hmac-sha256"),
    hash: signed("payload-hash-sha1"),
    "no-secret": rule("payload-hmac-sha1", of("header", "X-Event"), { secret: "" }),
    local: { match: { type: "ip-whitelist", "ip-range": "127.0.0.1 10.0.0.0/8" } },
    "bad-range": { match: { type: "ip-whitelist", "ip-range": "10.0.0.0/8 nonsense" } },
    scalr: { match: { type: "scalr-signature", secret: "hunter22" } },
    "unknown-type": rule("nonsense", payload("a"), {}),
    empty: {},
  }).map(([id, written]) => hook(id, { "trigger-rule": written })),
  hook("mismatch", { "trigger-rule": isPush, "trigger-rule-mismatch-http-response-code": 418 }),
  hook("soft", {
    "trigger-rule": { or: [signed("payload-hmac-sha256"), isPush] },
    "trigger-signature-soft-failures": true,
  }),
] as ReadonlyArray<{ readonly id: string }>;

const json = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '{"a":1,"b":{"c":"x"},"l":["y",{"z":2}]}',
      '{"a":"Ynl0ZXM=","b":{"c":""}}',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '{"a":"{\\"x\\":1}","n":null}',
      '{"a":"{\\"x\\":","b":{"c":"Yn"}}',
      '{"a":"Ynl0!"}',
      '[{"a":1}]',
    ),
  },
  { weight: 2, arbitrary: fc.json({ maxDepth: 2 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.json({ maxDepth: 2 }),
        fc.nat(60),
        fc.constantFrom("", "x", '"', "}", "\\", "é", "\u0001", " "),
      )
      .map(([text, at, noise]) => text.slice(0, at) + noise),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "nul",
      "tru",
      "-",
      "1.",
      "1e",
      "\ufeff{}",
      '{"a" 1}',
      '{"a":1 "b"}',
      "[1 2]",
      "{,}",
      '"\\q"',
      '"\\u00g0"',
      "01",
    ),
  },
);
const form = fc.constantFrom(
  "a=1&b.c=2",
  "a=%7B%22x%22%3A1%7D",
  "a=%zz",
  "a=1;b=2",
  "a=%",
  "a=1&a=2",
  "",
);
const xml = fc.constantFrom(
  "<a>1</a>",
  "<a><b>1</b></a>",
  "<a>",
  "<a></b>",
  "<a><c></a>",
  "",
  "text",
  '<a x="1">y</a>',
);
const part = (head: string, body: string): string =>
  `--xyz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
const parts = fc.constantFrom(
  `${part('name="a"', "1")}--xyz--\r\n`,
  `${part('name="f"; filename="f.json"', '{"x":1}')}--xyz--\r\n`,
  `${part('name="f"; filename="f.json"', "no")}--xyz--\r\n`,
  part('name="a"', "1"),
  "no form",
  "",
);
const typed = (type: string, bodies: fc.Arbitrary<string>): fc.Arbitrary<Sent> =>
  bodies.map((body) => ({ body, headers: { "content-type": type } }));
const requests = fc.record({
  id: fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...hooks.map(({ id }) => id)) },
    { weight: 1, arbitrary: fc.constant("unknown") },
  ),
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant("POST") },
    { weight: 1, arbitrary: fc.constantFrom("PUT", "DELETE", "GET") },
  ),
  query: fc.constantFrom("", "?q=1&r=2", "?q=%7B%22x%22%3A2%7D", "?q=%7B", "?q=%zz;"),
  sent: fc.oneof(
    { weight: 6, arbitrary: typed("application/json", json) },
    { weight: 2, arbitrary: typed("application/x-www-form-urlencoded", form) },
    typed("text/xml", xml),
    typed("multipart/form-data; boundary=xyz", parts),
    typed("multipart/form-data; x", parts),
    typed("text/plain", fc.constantFrom("", "text")),
  ),
  event: fc.constantFrom("push", "ping", undefined),
  signature: fc.constantFrom("good", "bad", "none"),
});

needs(test, peerProgram)("the lines of both logs are equal", async (t) => {
  t.timeout(120_000);
  const flags = ["-verbose", "-x-request-id"];
  const peer = await existing(t, hooks, flags);
  const server = await serving(t, hooks, flags);
  const sample = fc.sample(requests, { seed: 7, numRuns: REQUESTS });
  for (const [index, { id, method, query, sent, event, signature }] of sample.entries()) {
    const headers: Record<string, string> = {
      ...sent.headers,
      "content-length": String(Buffer.byteLength(sent.body ?? "")),
      "x-request-id": `r${index}`,
    };
    if (event !== undefined) headers["x-event"] = event;
    if (signature !== "none") headers["x-hub-signature"] = signature === "good" ? sign(sent) : "00";
    const request = { ...sent, method, headers };
    // An invalid query fails a form of the existing server alone.
    const isForm = sent.headers?.["content-type"]?.startsWith("multipart") === true;
    const path = isForm ? id : `${id}${query}`;
    for (const { port } of [peer, server]) {
      await ask({ host: "127.0.0.1", port }, `/hooks/${path}`, request);
    }
  }
  await eventually("the last line of each", () => isDone(peer.log) && isDone(server.log));
  const [theirs, ours] = [linesByRequest(peer.log), linesByRequest(server.log)];
  const different: string[] = [];
  let total = 0;
  let count = 0;
  for (const index of [...sample.keys(), -1]) {
    const [wanted, got] = [theirs.get(`r${index}`) ?? [], ours.get(`r${index}`) ?? []];
    total += wanted.length;
    // Both ways, so a line too many counts once.
    const missing = wanted.filter((line) => !got.some((other) => isSame(line, other)));
    const surplus = got.filter((line) => !wanted.some((other) => isSame(other, line)));
    const inOrder = wanted.every((line, at) => isSame(line, got[at] ?? ""));
    if (inOrder && surplus.length === 0) continue;
    different.push(
      JSON.stringify(sample[index]),
      ...missing.map((line) => `- ${line}`),
      ...surplus.map((line) => `+ ${line}`),
    );
    count += Math.max(1, missing.length, surplus.length);
  }
  t.log(`${count} of ${total} lines differ`);
  t.true(total > REQUESTS * 3);
  t.true(count <= total * TOLERATED, different.join("\n"));
});

const sign = ({ body = "" }: Sent): string =>
  createHmac("sha256", "hunter22").update(body).digest("hex");

/** Every command that was started has ended, and every request has its last line. */
function isDone(log: string): boolean {
  const count = (pattern: RegExp): number => log.match(pattern)?.length ?? 0;
  return (
    count(/hook triggered successfully$/gm) ===
      count(/\] (?:finished handling|error in exec:)/gm) &&
    count(/\] incoming HTTP/g) === count(/\] \d+ \| .* \| (?:POST|PUT|GET|DELETE) \/hooks/g)
  );
}

/** Without times, ports, sizes of numbers and names of temporary files. `-1`: lines of no request. */
function linesByRequest(log: string): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  const written = log.split(/^\[webhook\] [\d/]+ [\d:]+ /m);
  for (const line of written) {
    const [, id, rest] = /^\[(r\d+)\] ([\s\S]*)$/.exec(line) ?? [];
    if (id === undefined && !/^(?:warn|error|no ENVVAR)/.test(line)) continue;
    const text = (rest ?? line)
      .replace(/127\.0\.0\.1:\d+/g, "ADDRESS")
      .replace(/\| [\d.]+(?:ns|µs|ms|s) \|/g, "| TIME |")
      .replace(/(\/tmp\/[A-Z_]+)\d+/g, "$1N");
    lines.set(id ?? "r-1", [...(lines.get(id ?? "r-1") ?? []), text]);
  }
  // The response of a hook that does not wait may be logged before or after its command starts.
  for (const each of lines.values()) {
    if (each.some((line) => line.startsWith("background hook triggered"))) each.sort();
  }
  return lines;
}

/** Secrets are masked here alone. */
function isSame(wanted: string, got: string): boolean {
  if (!got.includes("(secret)")) return wanted === got;
  const shown = got.split("(secret)");
  return wanted.startsWith(shown[0] ?? "") && wanted.endsWith(shown.at(-1) ?? "");
}
