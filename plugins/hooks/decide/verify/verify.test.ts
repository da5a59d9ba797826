/** Whether one of a hook's `verify` blocks holds, and what a request without proof gets. */
import { createHmac } from "node:crypto";
import test from "ava";
import type { Expression } from "reeve/plugin";
import type { VerifyBlock } from "../../blocks/blocks.js";
import { secretOf } from "../../testing/evidence.js";
import type { Incoming } from "../incoming.js";
import type { SignedScope } from "./signed-scope.js";
import { proofRefusal } from "./verify.js";

const request = (more: Partial<Incoming> = {}): Incoming => ({
  method: "PUT",
  headers: {},
  query: "",
  remoteIp: undefined,
  body: Buffer.from("text"),
  now: 0,
  ...more,
});
const block = (label: string, values: Record<string, unknown> = {}): VerifyBlock =>
  ({ label, values }) as unknown as VerifyBlock;
const secret = secretOf("s3cret");
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

test("a hook without `verify` accepts every request", (t) => {
  t.is(proofRefusal(request(), []), undefined);
});

test("one valid block suffices, wherever it is", (t) => {
  const valid = block("bearer", { secret });
  const other = block("bearer", { secret: secretOf("other") });
  const sent = request({ headers: { authorization: "Bearer s3cret" } });
  for (const blocks of [[valid], [valid, other], [other, valid]])
    t.is(proofRefusal(sent, blocks), undefined);
  t.is(proofRefusal(sent, [other])?.reason, "bad_signature");
});

const challenges: ReadonlyArray<
  readonly [kinds: readonly VerifyBlock[], challenge: string | undefined]
> = [
  [[block("bearer", { secret })], "Bearer"],
  [[block("jwt", {})], "Bearer"],
  [[block("oidc", {})], "Bearer"],
  [[block("token", { secret, header: "x-token" })], "Token"],
  [[block("github", { secret })], "HMAC"],
  [[block("basic", { secret, user: "ada" })], 'Basic realm="hooks", charset="UTF-8"'],
  [
    [block("basic", { secret, user: "ada", realm: "build" })],
    'Basic realm="build", charset="UTF-8"',
  ],
  [
    [block("github", { secret }), block("gitlab", { secret }), block("bearer", { secret })],
    "HMAC, Bearer",
  ],
  [[block("mtls", { subjects: ["a"] })], undefined],
  [[block("mtls", { subjects: ["a"] }), block("bearer", { secret })], "Bearer"],
];
for (const [blocks, challenge] of challenges)
  test(`without proof for ${blocks.map(({ label }) => label).join(", ")} the challenge is ${challenge}`, (t) => {
    const refusal = proofRefusal(request(), blocks);
    t.like(refusal, { status: 401, reason: "bad_signature" });
    t.deepEqual(
      refusal?.headers,
      challenge === undefined ? undefined : { "www-authenticate": challenge },
    );
    t.is(refusal?.cause, undefined);
  });

const tokens = (problems: readonly string[], unavailable: boolean) => ({
  verified: new Map(),
  problems,
  unavailable,
});

test("the operator learns why a token is not valid, the sender does not", (t) => {
  const sent = request({ tokens: tokens(["it has expired", "it is for another"], false) });
  const refusal = proofRefusal(sent, [block("jwt")]);
  t.is(refusal?.reason, "bad_signature");
  t.is(refusal?.cause, "it has expired; it is for another");
  const silent = proofRefusal(request({ tokens: tokens([], false) }), [block("jwt")]);
  t.is(silent?.cause, undefined);
});

test("keys that are not available are no proof of a wrong token: the sender comes again", (t) => {
  const sent = request({ tokens: tokens(["the issuer is away"], true) });
  const refusal = proofRefusal(sent, [block("oidc")]);
  t.is(refusal?.reason, "keys_unavailable");
  t.deepEqual(refusal?.headers, { "retry-after": "30" });
  t.is(refusal?.cause, "the issuer is away");
});

test("a verified token holds for its own block, if the request has it", (t) => {
  const jwt = block("jwt");
  const verified = new Map([[jwt.values as object, {}]]);
  const given = { verified, problems: [], unavailable: false };
  const headers = { authorization: "Bearer a.b.c" };
  t.is(proofRefusal(request({ headers, tokens: given }), [jwt]), undefined);
  t.truthy(proofRefusal(request({ tokens: given }), [jwt]));
  t.truthy(proofRefusal(request({ headers, tokens: given }), [block("jwt")]));
});

test("the signed text may be of any part of the request", (t) => {
  const signed = {
    evaluate: ({ method, query, path, header, body }: SignedScope) => ({
      kind: "value",
      value: [method, query.q, path.p, header["x-h"], body].join(" "),
    }),
  } as unknown as Expression<string>;
  const key = { secret, header: "x-signature", signed };
  const signature = createHmac("sha256", "s3cret").update("PUT 1 2 3 text").digest("hex");
  const sent = (more: Partial<Incoming>) =>
    request({
      headers: { "x-h": "3", "x-signature": signature },
      query: "q=1",
      path: { p: "2" },
      ...more,
    });
  t.is(proofRefusal(sent({}), [block("hmac", key)]), undefined);
  for (const change of [
    { method: "POST" },
    { query: "q=2" },
    { path: undefined },
    { headers: { "x-signature": signature } },
    { body: Buffer.from("test") },
  ])
    t.is(proofRefusal(sent(change), [block("hmac", key)])?.reason, "bad_signature");
});

test("a certificate is proof", (t) => {
  const certificate = { subject: "build", names: [], fingerprint: "00" };
  const mtls = block("mtls", { subjects: ["build"] });
  t.is(proofRefusal(request({ certificate }), [mtls]), undefined);
  t.truthy(proofRefusal(request(), [mtls]));
});

for (const [title, written, holds] of [
  ["user and password", basic("ada", "s3cret"), true],
  ["the scheme in capitals", basic("ada", "s3cret").replace("Basic", "BASIC"), true],
  ["another user", basic("bob", "s3cret"), false],
  ["another password", basic("ada", "other"), false],
  ["no colon", `Basic ${Buffer.from("adas3cret").toString("base64")}`, false],
  ["another scheme", basic("ada", "s3cret").replace("Basic", "Bearer"), false],
  ["what is no Base64", "Basic ada:s3cret", false],
  ["nothing", "", false],
] as const)
  test(`basic: ${title} ${holds ? "holds" : "does not hold"}`, (t) => {
    const sent = request({ headers: { authorization: written } });
    t.is(proofRefusal(sent, [block("basic", { secret, user: "ada" })]) === undefined, holds);
  });
