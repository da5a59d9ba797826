/** `verify "jwt"`: the attacks of RFC 8725 and their relatives. */
import { createHmac, sign } from "node:crypto";
import test from "ava";
import { Redactor } from "./evidence/redactor.js";
import { restored, storeRequest } from "./evidence/stored-request.js";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";
import { request } from "./testing/request.js";
import { ec, encoded, ISSUER, now, other, rsa, set, token, usual } from "./testing/tokens.js";

const pem = rsa.publicKey.export({ type: "spki", format: "pem" }) as string;
const hmac =
  (key: string, hash = "sha256") =>
  (text: string): Buffer =>
    createHmac(hash, key).update(text).digest();
const elliptic = (text: string): Buffer =>
  sign("sha256", Buffer.from(text), { key: ec.privateKey, dsaEncoding: "ieee-p1363" });
const SECRET = "a secret of tokens with more than 32 bytes";

const RULE = `issuer = "${ISSUER}"\naudience = ["deploy", "release"]`;
const config = [
  SERVER,
  hook(
    "keys",
    `verify "jwt" {\n${RULE}\nkeys = file("keys.json")\nrequire = claim.repository_id == "7"\n}\nrun = ["echo", claim.repository_id]\n${WAIT}`,
  ),
  hook(
    "pem",
    `verify "jwt" {\n${RULE}\nkeys = file("key.pem")\n}\nrun = ["echo", claim.sub ?? "none"]\n${WAIT}`,
  ),
  hook(
    "secret",
    `verify "jwt" {\n${RULE}\nsecret = [secret("env:OLD_KEY"), secret("env:KEY")]\nheader = "X-Token"\n}\nrun = ["true"]\n${WAIT}`,
  ),
  hook(
    "either",
    `verify "jwt" {\n${RULE}\nkeys = file("key.pem")\n}\nverify "bearer" { secret = secret("env:KEY") }\nrun = ["true"]\n${WAIT}`,
  ),
].join("");
const options = {
  environment: { KEY: SECRET, OLD_KEY: `${SECRET}, formerly` },
  files: { "keys.json": set(rsa.publicKey, ec.publicKey), "key.pem": pem },
};

const attack = (url: string) => ({
  jwk: other.publicKey.export({ format: "jwk" }),
  jku: url,
  x5u: url,
});

/** The hook, the token, and the status of its response. */
const table: ReadonlyArray<
  readonly [title: string, hook: string, token: () => string, status: 200 | 401]
> = [
  ["RSA", "keys", () => token(), 200],
  [
    "an elliptic curve",
    "keys",
    () => token({ header: { alg: "ES256", kid: "k1" }, signed: elliptic }),
    200,
  ],
  [
    "without a key id, of a set of several keys",
    "keys",
    () => token({ header: { kid: undefined } }),
    200,
  ],
  ["one of several audiences", "keys", () => token({ claims: { aud: ["x", "release"] } }), 200],
  [
    "a second beyond its end, within the leeway",
    "keys",
    () => token({ claims: { exp: now() - 30 } }),
    200,
  ],
  ["a key as PEM", "pem", () => token({ header: { kid: "anything" } }), 200],
  ["a secret", "secret", () => token({ header: { alg: "HS256" }, signed: hmac(SECRET) }), 200],
  [
    "no algorithm",
    "keys",
    () => token({ header: { alg: "none" }, signed: () => Buffer.alloc(0) }),
    401,
  ],
  [
    "no algorithm, in capitals",
    "keys",
    () => token({ header: { alg: "NONE" }, signed: () => Buffer.alloc(0) }),
    401,
  ],
  [
    "no algorithm for a hook with a secret",
    "secret",
    () => token({ header: { alg: "none" }, signed: () => Buffer.alloc(0) }),
    401,
  ],
  [
    "the public key as HMAC secret",
    "pem",
    () => token({ header: { alg: "HS256" }, signed: hmac(pem) }),
    401,
  ],
  [
    "the set of keys as HMAC secret",
    "keys",
    () => token({ header: { alg: "HS256" }, signed: hmac(options.files["keys.json"]) }),
    401,
  ],
  [
    "an algorithm that is not configured",
    "secret",
    () => token({ header: { alg: "HS512" }, signed: hmac(SECRET, "sha512") }),
    401,
  ],
  ["RSA where a secret is configured", "secret", () => token(), 401],
  ["an empty secret", "secret", () => token({ header: { alg: "HS256" }, signed: hmac("") }), 401],
  ["another key", "keys", () => token({ key: other.privateKey }), 401],
  [
    "another key, in the header of the token",
    "keys",
    () => token({ header: attack("https://x.example/keys"), key: other.privateKey }),
    401,
  ],
  [
    "another key, in the header, without an id",
    "keys",
    () => token({ header: { ...attack("x"), kid: undefined }, key: other.privateKey }),
    401,
  ],
  ["an unknown key", "keys", () => token({ header: { kid: "k9" } }), 401],
  ["a key id that is a path", "keys", () => token({ header: { kid: "../../dev/null" } }), 401],
  [
    "a critical extension that is unknown",
    "keys",
    () => token({ header: { crit: ["x"], x: 1 } }),
    401,
  ],
  [
    "a detached payload as a critical extension",
    "keys",
    () => token({ header: { crit: ["b64"], b64: false } }),
    401,
  ],
  ["an empty list of critical extensions", "keys", () => token({ header: { crit: [] } }), 401],
  ["another issuer", "keys", () => token({ claims: { iss: "https://evil.example" } }), 401],
  [
    "an issuer that begins alike",
    "keys",
    () => token({ claims: { iss: `${ISSUER}.evil.example` } }),
    401,
  ],
  ["no issuer", "keys", () => token({ claims: { iss: undefined } }), 401],
  ["another audience", "keys", () => token({ claims: { aud: "other" } }), 401],
  ["an audience that begins alike", "keys", () => token({ claims: { aud: "deploy-other" } }), 401],
  ["no audience", "keys", () => token({ claims: { aud: undefined } }), 401],
  ["an empty list of audiences", "keys", () => token({ claims: { aud: [] } }), 401],
  ["expired beyond the leeway", "keys", () => token({ claims: { exp: now() - 90 } }), 401],
  ["no end", "keys", () => token({ claims: { exp: undefined } }), 401],
  ["an end that is text", "keys", () => token({ claims: { exp: "9999999999" } }), 401],
  ["not valid yet", "keys", () => token({ claims: { nbf: now() + 600 } }), 401],
  ["a claim that `require` refuses", "keys", () => token({ claims: { repository_id: "8" } }), 401],
  [
    "without the claim of `require`",
    "keys",
    () => token({ claims: { repository_id: undefined } }),
    401,
  ],
  ["a claim of another type", "keys", () => token({ claims: { repository_id: ["7"] } }), 401],
  ["claims that are not an object", "keys", () => token({ claims: "[]" }), 401],
  ["claims that are not JSON", "keys", () => token({ claims: "{" }), 401],
  [
    "changed claims",
    "keys",
    () => token().replace(/\.[^.]+\./, `.${encoded({ ...usual(), sub: "root" })}.`),
    401,
  ],
  ["no signature", "keys", () => token().replace(/[^.]+$/, ""), 401],
  [
    "a signature in DER",
    "keys",
    () => token({ header: { alg: "ES256", kid: "k1" }, key: ec.privateKey }),
    401,
  ],
  [
    "an elliptic signature of zeros",
    "keys",
    () => token({ header: { alg: "ES256", kid: "k1" }, signed: () => Buffer.alloc(64) }),
    401,
  ],
  ["encrypted, five parts", "keys", () => `${token()}.a.b`, 401],
  ["two parts", "keys", () => token().replace(/\.[^.]+$/, ""), 401],
  ["a token that is not one", "keys", () => "x.y.z", 401],
  ["nothing", "keys", () => "", 401],
];

test("tokens, and what each of them gets", async (t) => {
  const at = await startFixture(t, config, options);
  for (const [title, name, make, status] of table) {
    const text = make();
    const response = await at.post(name, "", { authorization: `Bearer ${text}`, "x-token": text });
    t.is(response.status, status, title);
    t.is(response.headers.get("www-authenticate"), status === 401 ? "Bearer" : null, title);
  }
  const { status } = await at.post("keys");
  t.is(status, 401, "no header");
});

test("another `verify` suffices, and its secret is no token", async (t) => {
  const at = await startFixture(t, config, options);
  for (const [text, status] of [
    [SECRET.replaceAll(" ", ""), 401],
    [token({ header: { kid: undefined } }), 200],
  ] as const) {
    const response = await at.post("either", "", { authorization: `Bearer ${text}` });
    t.is(response.status, status, text);
  }
});

test("claims reach the command, and the token does not reach the record", async (t) => {
  const at = await startFixture(t, config, options);
  const text = token({ claims: { sub: "repo:example/garden" } });
  const response = await at.post("pem", "", { authorization: `Bearer ${text}` });
  t.is(await response.text(), "repo:example/garden\n");
  const [run] = await at.plugin.runs({ limit: 1 });
  const record = JSON.stringify(run);
  t.false(record.includes(text));
  t.false(record.includes(text.split(".")[2] ?? ""));
});

test("claims are stored without secrets, and restored for a replay", (t) => {
  const claims = { sub: "from hunter22", n: 7, list: [{ hunter22: "hunter22" }] };
  const stored = storeRequest({ ...request({}), claims }, new Redactor([], ["hunter22"]));
  const hidden = { sub: "from (secret)", n: 7, list: [{ hunter22: "(secret)" }] };
  t.deepEqual(stored.claims, hidden);
  const again = restored(stored, 0);
  t.like(again, { claims: { n: 7 } });
});

test("an operator sees why a token is refused, a sender does not", async (t) => {
  const at = await startFixture(t, config, options);
  const headers = { authorization: `Bearer ${token({ claims: { repository_id: "8" } })}` };
  const response = await at.post("keys", "", headers);
  const { detail } = (await response.json()) as { detail: string };
  t.is(detail, "The signature or credential is missing or invalid.");
  const refused = await at.next("hook.rejected");
  t.regex(JSON.stringify(refused), /`require` does not hold/);
});
