/** Every kind of proof against requests as their senders make them. */
import test from "ava";
import fc from "fast-check";
import { evidence, secretOf } from "../../testing/evidence.js";
import { serviceVectors } from "../../testing/service-vectors.js";
import { vectors as senderVectors, type Vector } from "../../testing/vectors.js";
import { KINDS, type KindName, type VerifyRule } from "./kinds.js";

const vectors = [...senderVectors, ...serviceVectors];

const ruleOf = ({ secret, rule }: Pick<Vector, "secret" | "rule">): VerifyRule => ({
  secret: typeof secret === "string" ? secretOf(secret) : secret.map(secretOf),
  header: undefined,
  prefix: undefined,
  algorithm: undefined,
  encoding: undefined,
  tolerance: undefined,
  user: undefined,
  realm: undefined,
  subjects: undefined,
  names: undefined,
  fingerprints: undefined,
  issuer: undefined,
  audience: undefined,
  algorithms: undefined,
  keys: undefined,
  ...rule,
});

for (const vector of vectors) {
  const { title, kind, headers, body = "", now = 0, holds = true } = vector;
  test(`${title}: ${holds ? "proved" : "not proved"}`, (t) => {
    const sent = evidence({ headers, body, now: now * 1000 });
    t.is(KINDS[kind].holds(ruleOf(vector), sent), holds);
  });
}

for (const vector of vectors.filter(({ holds = true }) => holds)) {
  test(`${vector.title}: not proved without one of its headers`, (t) => {
    const { headers, body = "", now = 0, kind } = vector;
    for (const name of Object.keys(headers)) {
      const { [name]: _removed, ...rest } = headers;
      t.false(
        KINDS[kind].holds(ruleOf(vector), evidence({ headers: rest, body, now: now * 1000 })),
      );
    }
  });
}

test("no invented input is valid, and nothing throws", (t) => {
  const names = [...new Set(vectors.flatMap(({ headers }) => Object.keys(headers)))];
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom("t=1,v1=", "v1,", `t=0,v1=${"0".repeat(64)}`, "Basic ====", "Basic Og=="),
    fc.stringMatching(/^(sha256=)?[0-9a-f]{64}$/),
  );
  const sent = fc.dictionary(fc.constantFrom(...names), value);
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(KINDS)),
      sent,
      fc.string(),
      (kind, headers, body) => {
        const rule = ruleOf({ secret: "a secret nobody guesses", rule: { header: "x-token" } });
        return !KINDS[kind as KindName].holds(rule, evidence({ headers, body }));
      },
    ),
    { numRuns: 2000 },
  );
  t.pass();
});

const certificate = {
  subject: "build-1",
  names: ["build-1.example.com", "192.0.2.7"],
  fingerprint: "9f".repeat(32),
};
for (const [title, rule, holds] of [
  ["its subject", { subjects: ["build-2", "build-1"] }, true],
  ["another subject", { subjects: ["build-2"] }, false],
  ["one of its names", { names: ["192.0.2.7"] }, true],
  ["a name that only begins like one of its", { names: ["build-1.example"] }, false],
  ["its fingerprint with colons", { fingerprints: [Array(32).fill("9F").join(":")] }, true],
  ["another fingerprint", { fingerprints: ["8f".repeat(32)] }, false],
] as const) {
  test(`a certificate by ${title}: ${holds}`, (t) => {
    const all = ruleOf({ secret: [], rule });
    t.is(KINDS.mtls.holds(all, evidence({ certificate })), holds);
    t.false(KINDS.mtls.holds(all, evidence({})));
  });
}
