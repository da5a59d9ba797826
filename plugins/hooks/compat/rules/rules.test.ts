/** Spec §3, "Trigger rules", and the defects among them. */
import { createHmac } from "node:crypto";
import test from "ava";
import { outcome, type Sent } from "../testing/one.js";

const hmac = (algorithm: string, text: string, secret = "hunter22"): string =>
  createHmac(algorithm, secret).update(text).digest("hex");
const value = (name: string, wanted: unknown): object => ({
  match: { type: "value", value: wanted, parameter: { source: "payload", name } },
});
const signed = (more: object = {}): object => ({
  match: {
    type: "payload-hmac-sha256",
    secret: "hunter22",
    parameter: { source: "header", name: "X-Sig" },
    ...more,
  },
});
const body = '{"a": 1, "t": "text", "n": null, "f": 1.0}';
const bad = { body, headers: { "x-sig": "sha256=00" } };
const good = (signature = hmac("sha256", body)): Sent => ({
  body,
  headers: { "x-sig": signature },
});
const yes = value("t", "text");
const no = value("t", "other");
const gone = value("gone", "x");

type Row = readonly [
  what: string,
  rule: object,
  sent: Sent,
  loose: "run" | number,
  strict?: "run" | number,
];
const rows: readonly Row[] = [
  ["`and: []` is true", { and: [] }, { body }, "run"],
  ["`or: []` is false", { or: [] }, { body }, 200, 403],
  ["`{}` is false", {}, { body }, 200, 403],
  [
    "the first of `and`, `or`, `not`, `match` counts",
    { or: [no], and: [yes], not: yes },
    { body },
    "run",
  ],
  ["`and` stops at the first false", { and: [no, signed()] }, bad, 200, 403],
  ["`or` stops at the first true", { or: [yes, signed()] }, bad, "run"],
  ["`or` swallows something missing", { or: [gone, yes] }, { body }, "run"],
  ["something missing is a mismatch", gone, { body }, 200, 403],
  ["`not` turns around", { not: no }, { body }, "run"],
  ["a number of the file is compared as text", value("a", 1), { body }, "run"],
  ["`1` is not `1.0`", value("f", 1), { body }, 200, 403],
  ["an unknown type without a parameter", { match: { type: "valeu" } }, { body }, 500, 403],
  ["a path into null (defect 5)", value("n.x", "1"), { body }, 500, 403],
  ["`not` around something missing (defect 1)", { not: gone }, { body }, "run", 403],
  ["`not` around a path into null (defect 1)", { not: value("n.x", "1") }, { body }, 500, 403],
  [
    "`not` around an `or` with something missing (defect 1)",
    { not: { or: [gone, no] } },
    { body },
    "run",
    403,
  ],
  [
    "`not` around an `and` that is false whatever is missing",
    { not: { and: [no, gone] } },
    { body },
    "run",
  ],
  [
    "`not` around an `and` with something missing (defect 1)",
    { not: { and: [yes, gone] } },
    { body },
    "run",
    403,
  ],
  [
    "`not` around something missing inside `or` (defect 1)",
    { or: [{ not: gone }] },
    { body },
    "run",
    403,
  ],
  ["a good signature", signed(), good(), "run"],
  ["with its prefix", signed(), good(`sha256=${hmac("sha256", body)}`), "run"],
  ["one of several", signed(), good(`sha256=00,sha256=${hmac("sha256", body)}`), "run"],
  [
    "parts behind a comma are not trimmed",
    signed(),
    good(`sha256=00, sha256=${hmac("sha256", body)}`),
    500,
    401,
  ],
  ["in capitals", signed(), good(hmac("sha256", body).toUpperCase()), 500, 401],
  ["a bad signature (defect 4)", signed(), bad, 500, 401],
  ["an absent signature", signed(), { body }, 200, 403],
  ["an empty secret", signed({ secret: "" }), good(), 500],
  ["a deprecated name", signed({ type: "payload-hash-sha256" }), good(), "run"],
  ["sha1", signed({ type: "payload-hmac-sha1" }), good(hmac("sha1", body)), "run"],
  [
    "sha512",
    signed({ type: "payload-hmac-sha512" }),
    good(`sha512=${hmac("sha512", body)}`),
    "run",
  ],
  ["a bad signature inside a hard `or`", { or: [signed(), yes] }, bad, 500, 401],
];
for (const [what, rule, sent, loose, strict = loose] of rows) {
  test(`${what}: ${loose}${strict === loose ? "" : `, strict ${strict}`}`, (t) => {
    t.is(outcome({ "trigger-rule": rule }, sent), loose);
    t.is(outcome({ "trigger-rule": rule }, sent, true), strict);
  });
}

const soft = (rule: object): object => ({
  "trigger-rule": rule,
  "trigger-signature-soft-failures": true,
});
test("a bad signature inside a soft `or` counts as false", (t) => {
  t.is(outcome(soft({ or: [signed(), yes] }), bad), "run");
  t.is(outcome(soft({ or: [signed(), no] }), bad), 200);
});
test("defect 1: `not` around a bad signature inside a soft `or` is not true", (t) => {
  t.is(outcome(soft({ or: [{ not: signed() }] }), bad), "run");
  t.is(outcome(soft({ or: [{ not: signed() }] }), bad, true), 403);
});
test("a mismatch has the configured status, if there is such a status", (t) => {
  const hook = { "trigger-rule": no, "trigger-rule-mismatch-http-response-code": 400 };
  t.is(outcome(hook, { body }), 400);
  t.is(outcome(hook, { body }, true), 400);
  t.is(outcome({ ...hook, "trigger-rule-mismatch-http-response-code": 999 }, { body }), 200);
});

const pattern = (regex: string): object => ({
  match: { type: "regex", regex, parameter: { source: "payload", name: "t" } },
});
const patterns: ReadonlyArray<readonly [string, "run" | number]> = [
  ["ex", "run"],
  ["^ex", 200],
  ["(?i)TEXT", "run"],
  ["\\Atext\\z", "run"],
  ["[[:alpha:]]+", "run"],
  ["(?=t)", 500],
];
for (const [regex, expected] of patterns) {
  test(`the pattern ${regex} on \`text\`: ${expected}`, (t) => {
    t.is(outcome({ "trigger-rule": pattern(regex) }, { body }), expected);
  });
}
test("a catastrophic pattern is evaluated at once", (t) => {
  const sent = { body: JSON.stringify({ t: `${"a".repeat(50_000)}!` }) };
  t.is(outcome({ "trigger-rule": pattern("^(a+)+$") }, sent), 200);
});

const ranges: ReadonlyArray<readonly [range: string, from: string, expected: "run" | number]> = [
  ["192.0.2.0/24", "192.0.2.7:1", "run"],
  ["10.0.0.0/8 192.0.2.7", "192.0.2.7:1", "run"],
  ["192.0.2.8", "192.0.2.7:1", 200],
  ["2001:db8::/32", "[2001:db8::1]:1", "run"],
  ["192.0.2.0/24", "[::ffff:192.0.2.7]:1", "run"],
  ["192.0.2.0/24", "@", 500],
  ["nonsense", "192.0.2.7:1", 500],
];
for (const [range, from, expected] of ranges) {
  test(`${from} with the list ${range}: ${expected}`, (t) => {
    t.is(
      outcome({ "trigger-rule": { match: { type: "ip-whitelist", "ip-range": range } } }, { from }),
      expected,
    );
  });
}
test("defect 13: a bare IPv6 address admits itself alone", (t) => {
  const rule = { "trigger-rule": { match: { type: "ip-whitelist", "ip-range": "2001:db8::1" } } };
  t.is(outcome(rule, { from: "[2001:db8::1]:1" }), "run");
  t.is(outcome(rule, { from: "[2001:db8::2]:1" }), 200);
});

test("scalr: signature of body and date, for five minutes", (t) => {
  const date = "Fri 08 Sep 2017 11:24:32 UTC";
  const at = Date.UTC(2017, 8, 8, 11, 24, 32);
  const hook = { "trigger-rule": { match: { type: "scalr-signature", secret: "hunter22" } } };
  const sent = { body, headers: { date, "x-signature": hmac("sha1", body + date) } };
  t.is(outcome(hook, sent, false, at + 299_000), "run");
  t.is(outcome(hook, sent, false, at + 301_000), 500);
  t.is(
    outcome(hook, { ...sent, headers: { ...sent.headers, "x-signature": "00" } }, false, at),
    500,
  );
  t.is(outcome(hook, { body }, false, at), 200);
});
