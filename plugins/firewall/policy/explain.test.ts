import test from "ava";
import { explainVerdicts } from "./explain.js";
import { Policy } from "./policy.js";

const policy = Policy.parse({
  allow: ["a.example", "http://plain.example", "db.example:5432", "https://alt.example:8443"],
  block: ["ads.a.example"],
  urls: ["GET https://api.example/v1/*"],
});
const domainsOnly = Policy.parse({ allow: ["a.example"], block: [] });

const explained: ReadonlyArray<readonly [subject: string, verdicts: readonly string[]]> = [
  [
    "a.example",
    ["a.example over https: allow-both-plain", "a.example over http: allow-both-plain"],
  ],
  [
    "plain.example",
    ["plain.example over https: deny-default", "plain.example over http: allow-http-only-plain"],
  ],
  ["db.example:5432", ["db.example:5432 over tcp: allow-port-plain"]],
  ["git@db.example:5432", ["git@db.example:5432 over tcp: allow-port-plain"]],
  ["alt.example:8443", ["alt.example:8443 over https: allow-https-only-plain"]],
  ["a.example:5432", ["a.example:5432 over tcp: deny-port"]],
  ["https://a.example/x", ["https://a.example/x: deny-url"]],
  ["https://api.example/v1/x", ["https://api.example/v1/x: allow-url"]],
  ["GET https://api.example/v1/x", ["GET https://api.example/v1/x: allow-url"]],
  ["POST https://api.example/v1/x", ["POST https://api.example/v1/x: deny-method"]],
  ["https://ads.a.example/x", ["https://ads.a.example/x: deny-blocked-plain"]],
  ["https://alt.example:8443/x", ["https://alt.example:8443/x: deny-url"]],
  ["http://plain.example:9/x", ["http://plain.example:9/x: deny-unsafe-ports"]],
];
for (const [subject, verdicts] of explained)
  test(`${subject} is decided as ${verdicts.join(", ")}`, (t) => {
    const found = explainVerdicts(policy, subject);
    t.deepEqual(
      found.map((each) => `${each.subject}: ${each.rule}`),
      verdicts,
    );
  });

test("without URL patterns the domain decides about a URL", (t) => {
  const rules = (subject: string) => explainVerdicts(domainsOnly, subject).map(({ rule }) => rule);
  t.deepEqual(rules("http://a.example/x"), ["allow-both-plain"]);
  t.deepEqual(rules("https://a.example:443/x"), ["allow-both-plain"]);
  t.deepEqual(rules("https://b.example/x"), ["deny-default"]);
});

for (const subject of ["ftp://a.example/x", "https://", "GET ://x"])
  test(`${subject} cannot be explained`, (t) => {
    const message = `Nothing to explain: ${subject} is neither a domain nor an http or https URL`;
    t.throws(() => explainVerdicts(policy, subject), { message, code: "invalid_subject" });
  });
