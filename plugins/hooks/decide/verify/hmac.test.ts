import { createHmac } from "node:crypto";
import test from "ava";
import { evidence, secretOf } from "../../testing/evidence.js";
import { FIVE_MINUTES, type HmacRule, isSigned } from "./hmac.js";
import { hasToken } from "./shared-secret.js";

const rule = (change: Partial<HmacRule> = {}): HmacRule => ({
  secret: secretOf("It's a Secret to Everybody"),
  header: "X-Hub-Signature-256",
  algorithm: "sha256",
  prefix: undefined,
  encoding: "hex",
  tolerance: undefined,
  ...change,
});
const body = Buffer.from("Hello, World!");
/** From the documentation of a well-known sender of signed requests. */
const known = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const sign = (algorithm: string, encoding: "hex" | "base64", key = "It's a Secret to Everybody") =>
  createHmac(algorithm, key).update(body).digest(encoding);
const other = "0".repeat(64);

const cases: ReadonlyArray<
  readonly [title: string, rule: HmacRule, written: string | undefined, holds: boolean]
> = [
  ["a signature with the algorithm's name before it", rule(), `sha256=${known}`, true],
  ["a bare signature", rule(), known, true],
  ["upper-case digits", rule(), known.toUpperCase(), true],
  ["blanks around it", rule(), `  sha256=${known} `, true],
  ["one of several", rule(), `sha256=${other}, sha256=${known}`, true],
  ["none of several", rule(), `sha256=${other}, sha256=${other}`, false],
  ["no header", rule(), undefined, false],
  ["an empty header", rule(), "", false],
  ["another signature", rule(), `sha256=${other}`, false],
  ["a signature that is cut short", rule(), `sha256=${known.slice(0, 40)}`, false],
  ["a signature with something behind it", rule(), `sha256=${known}00`, false],
  ["something that is no signature", rule(), "sha256=zz", false],
  ["another algorithm's name", rule(), `sha1=${known}`, false],
  ["sha1", rule({ algorithm: "sha1" }), `sha1=${sign("sha1", "hex")}`, true],
  ["sha512", rule({ algorithm: "sha512" }), `sha512=${sign("sha512", "hex")}`, true],
  ["sha1 where sha256 is wanted", rule(), sign("sha1", "hex"), false],
  ["base64", rule({ encoding: "base64" }), sign("sha256", "base64"), true],
  ["base64 where hex is wanted", rule(), sign("sha256", "base64"), false],
  ["hex where base64 is wanted", rule({ encoding: "base64" }), known, false],
  ["a prefix of its own", rule({ prefix: "v0=" }), `v0=${known}`, true],
  ["a prefix that is wanted and not there", rule({ prefix: "v0=" }), known, false],
  ["another key", rule({ secret: secretOf("x") }), known, false],
  ["more candidates than anybody has", rule(), `${`${other},`.repeat(16)}${known}`, false],
];

for (const [title, given, written, holds] of cases) {
  test(`${title}: ${holds ? "signed" : "not signed"}`, (t) => {
    const headers = written === undefined ? {} : { "x-hub-signature-256": written };
    t.is(isSigned(given, evidence({ headers, body })), holds);
  });
}

test("every byte of the body counts", (t) => {
  const headers = { "x-hub-signature-256": known };
  t.false(isSigned(rule(), evidence({ headers, body: "Hello, World?" })));
});

test("a header with the name of something objects have anyway is not there", (t) => {
  t.false(isSigned(rule({ header: "constructor" }), evidence({ body })));
  t.false(isSigned(rule({ header: "__proto__" }), evidence({ body })));
});

for (const [written, prefix, holds] of [
  ["abcd", undefined, true],
  ["Bearer abcd", "Bearer ", true],
  ["abcd", "Bearer ", false],
  ["Bearer abcd", undefined, false],
  ["abc", undefined, false],
  ["abcde", undefined, false],
  ["", undefined, false],
  [undefined, undefined, false],
] as const) {
  test(`the token ${written ?? "that is not there"}, wanted behind "${prefix ?? ""}": ${holds}`, (t) => {
    const headers = written === undefined ? {} : { authorization: written };
    const rule = { header: "Authorization", secret: secretOf("abcd"), prefix };
    t.is(hasToken(rule, { headers }), holds);
  });
}

const value = (text: string) =>
  ({ evaluate: () => ({ kind: "value", value: text }) }) as unknown as HmacRule["signed"];
const missing = { evaluate: () => ({ kind: "missing" }) } as unknown as HmacRule["signed"];
const now = 1_767_225_600_000;

for (const [title, change, at, holds] of [
  ["a time that is now", { timestamp: value("1767225600") }, now, true],
  ["a time five minutes ago", { timestamp: value("1767225600") }, now + FIVE_MINUTES, true],
  ["a time before that", { timestamp: value("1767225600") }, now + FIVE_MINUTES + 1, false],
  ["a tolerance of its own", { timestamp: value("1767225600"), tolerance: 10 }, now + 11, false],
  ["no time where one is wanted", { timestamp: missing }, now, false],
  ["a signed text that is not there", { signed: missing }, now, false],
  ["another signed text", { signed: value("other") }, now, false],
  ["its signed text", { signed: value("Hello, World!") }, now, true],
  [
    "its text and time",
    { signed: value("Hello, World!"), timestamp: value("1767225600") },
    now,
    true,
  ],
  ["its text, too late", { signed: value("Hello, World!"), timestamp: value("1") }, now, false],
] as const)
  test(`${title}: ${holds ? "signed" : "not signed"}`, (t) => {
    const headers = { "x-hub-signature-256": known };
    t.is(isSigned(rule(change), evidence({ headers, body, now: at })), holds);
  });

test("without an algorithm it is SHA-256, without a header nothing is signed", (t) => {
  const headers = { "x-hub-signature-256": `sha256=${known}` };
  t.true(isSigned(rule({ algorithm: undefined }), evidence({ headers, body })));
  t.false(isSigned(rule({ header: undefined }), evidence({ headers, body })));
  t.false(isSigned(rule({ secret: undefined }), evidence({ headers, body })));
});
