import { once } from "node:events";
import test from "ava";
import fc from "fast-check";
import { serviceTokens } from "../policy/service-tokens.js";
import { OutgoingBody } from "./outgoing-body.js";
import { SecretScanner } from "./secret-scanner.js";

/** Put together here, so that no search for tokens in sources finds them. */
const samples: Readonly<Record<string, string>> = {
  "GitHub token": "a1".repeat(18),
  "GitHub OAuth token": "a1".repeat(18),
  "GitHub user token": "a1".repeat(18),
  "GitHub installation token": "a1".repeat(18),
  "GitHub refresh token": "a1".repeat(18),
  "GitHub fine-grained token": "a1_".repeat(20),
  "GitLab token": "a1-_".repeat(5),
  "npm token": "a1".repeat(18),
  "PyPI token": "a1-_".repeat(15),
  "Anthropic key": "api03-a1".repeat(10),
  "OpenAI project key": "a1-_".repeat(12),
  "OpenAI key": "a1".repeat(24),
  "Stripe key": "a1".repeat(12),
  "Slack bot token": "123-456-".repeat(3),
  "Slack user token": "123-456-".repeat(3),
  "AWS access key": "A1".repeat(8),
  "AWS temporary access key": "A1".repeat(8),
  "Google API key": "a1-_a".repeat(7),
  "DigitalOcean token": "a1".repeat(32),
  "Hugging Face token": "a1".repeat(17),
  "SendGrid key": `${"a1-_".repeat(6)}.${"a1-_".repeat(6)}`,
  "private key": "RSA PRIVATE KEY-----",
};

const patterns = new SecretScanner([], []);
for (const { name, prefix } of serviceTokens) {
  test(`found: ${name}`, (t) => {
    const token = prefix + (samples[name] ?? "");
    t.is(patterns.find(`x=${token}&y`), name);
    t.is(patterns.find(`word${token}`), prefix.startsWith("-") ? name : undefined);
    t.is(patterns.find(token.slice(0, prefix.length + 5)), undefined);
  });
}

const value = "correct horse/battery+staple";
const scanner = new SecretScanner(
  [
    { name: "PHRASE", value },
    { name: "SHORT", value: "true" },
  ],
  [`ghp_${"p".repeat(36)}`],
);

test("a known value is found as it is, in URLs, in hexadecimal and at every position of base64", (t) => {
  const encodings = [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("hex"),
    ...["", "a", "ab", "abc"].flatMap((before) =>
      ["", "z", "zz"].flatMap((after) => [
        Buffer.from(before + value + after).toString("base64"),
        Buffer.from(before + value + after).toString("base64url"),
      ]),
    ),
  ];
  for (const text of encodings) t.is(scanner.find(`before${text}after`), "PHRASE", text);
});

test("short values and placeholders are no secrets", (t) => {
  t.is(scanner.find(`true ghp_${"p".repeat(36)}`), undefined);
});

test("a head is searched in its URL, its headers and what they encode", (t) => {
  const url = "/a?q=correct%20horse%2fbattery%2Bstaple";
  t.is(scanner.findInHead(url, []), "PHRASE");
  t.is(scanner.findInHead("/", ["X-A", value]), "PHRASE");
  t.is(scanner.findInHead("/", ["Authorization", `Basic ${btoa(`u:${value}`)}`]), "PHRASE");
  t.is(scanner.findInHead("/a", ["Authorization", "Bearer other"]), undefined);
});

test("bodies are scanned across parts, and no byte of a secret leaves", async (t) => {
  const parts = fc.tuple(fc.nat(3000), fc.nat(3000), fc.integer({ min: 1, max: 700 }));
  await fc.assert(
    fc.asyncProperty(parts, async ([before, after, size]) => {
      const all = Buffer.from("-".repeat(before) + value + "-".repeat(after));
      const body = new OutgoingBody(undefined, scanner);
      let left = "";
      body.on("data", (bytes: Buffer) => {
        left += bytes.toString();
      });
      const failed = once(body, "error");
      for (let at = 0; at < all.length; at += size) body.write(all.subarray(at, at + size));
      body.end();
      await failed.catch(() => undefined);
      t.is(body.refusal?.rule, "deny-secret");
      t.regex(left, /^-*$/);
    }),
    { numRuns: 50 },
  );
});

test("a body without secrets leaves unchanged", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 900 }), { maxLength: 8 }),
      async (parts) => {
        const body = new OutgoingBody(undefined, scanner);
        const left: Buffer[] = [];
        body.on("data", (bytes: Buffer) => left.push(bytes));
        for (const part of parts) body.write(Buffer.from(part));
        body.end();
        await once(body, "end");
        t.deepEqual(Buffer.concat(left), Buffer.concat(parts));
      },
    ),
    { numRuns: 50 },
  );
});
