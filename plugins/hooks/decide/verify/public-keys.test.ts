import { generateKeyPairSync } from "node:crypto";
import test from "ava";
import { publicKeysIn } from "./public-keys.js";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = publicKey.export({ format: "jwk" });
const set = (...keys: unknown[]) => JSON.stringify({ keys });
const noSet = 'this is neither PEM nor a JSON Web Key Set: `{"keys": […]}`';
const isPrivate = "this contains a private key, which only the issuer may have";

test("a public key in PEM, or a set of public keys", (t) => {
  const pem = publicKeysIn(publicKey.export({ format: "pem", type: "spki" }).toString());
  t.true(typeof pem === "object" && pem.kind === "key" && pem.key.equals(publicKey));
  t.deepEqual(publicKeysIn(set(jwk, { ...jwk, kid: "2" })), {
    kind: "set",
    keys: [jwk, { ...jwk, kid: "2" }],
  });
});

for (const [title, text, problem] of [
  [
    "a private key in PEM",
    privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    isPrivate,
  ],
  ["a private key in a set", set(jwk, privateKey.export({ format: "jwk" })), isPrivate],
  [
    "damaged PEM",
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    "this is not a public key or certificate in PEM",
  ],
  ["an empty set", set(), "this set has no keys"],
  ["a shared secret", set(jwk, { kty: "oct", k: "AAAA" }), "key 2 of the set is a shared secret"],
  [
    "a key without its numbers",
    set({ kty: "EC", crv: "P-256" }),
    "key 1 of the set is not a public key",
  ],
  ["no JSON", "nonsense", noSet],
  ["a list", JSON.stringify([jwk]), noSet],
  ["null", "null", noSet],
  ["keys that are no list", JSON.stringify({ keys: {} }), noSet],
  ["a key that is no object", set("x"), noSet],
  ["a key that is null", set(null), noSet],
  ["a key that is a list", set([]), noSet],
  ["a key without a type", set({ crv: "P-256" }), noSet],
] as const)
  test(`refused: ${title}`, (t) => {
    t.is(publicKeysIn(text), problem);
  });
