/** `reeve hook convert`: what is printed decides, and runs, as the file does. */
import { createHmac } from "node:crypto";
import test from "ava";
import fc from "fast-check";
import { format } from "../../grammar/index.js";
import { convertHooks } from "../../plugins/hooks/compat/convert/convert.js";
import { decideFile, refusedMethod } from "../../plugins/hooks/compat/decide.js";
import { readHooks } from "../../plugins/hooks/compat/file/read.js";
import type { FileHook } from "../../plugins/hooks/compat/hook.js";
import { decide } from "../../plugins/hooks/decide/decide.js";
import { headersOf } from "../../plugins/hooks/decide/incoming.js";
import { configurationOf } from "./hook-of.js";

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: string;
}
interface Outcome {
  readonly runs: boolean;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

function byFile(hook: FileHook, sent: Sent): Outcome {
  const context = { strict: true, methods: [], now: 0, note: () => undefined };
  const { method, query } = sent;
  const arrived = {
    ...{ method, query, remoteAddress: "192.0.2.7:1", body: Buffer.from(sent.body) },
    rawHeaders: Object.entries(sent.headers).flat(),
  };
  const decision = refusedMethod(hook, method, context) ?? decideFile(hook, arrived, context);
  if (decision.kind === "refuse") return { runs: false };
  const { argv, env, files: passed } = decision.command;
  const contents = passed.map(({ variable, content }) => [
    variable,
    Buffer.from(content).toString(),
  ]);
  // A file is absent where the language has an empty one.
  const files = {
    ...Object.fromEntries(hook.files.map(({ variable }) => [variable, ""])),
    ...Object.fromEntries(contents),
  };
  // A variable is absent where the language has an empty one.
  const all = hook.env.map(({ variable, name }) => variable || `HOOK_${name}`);
  return {
    ...{ runs: true, argv, files },
    env: Object.fromEntries(all.map((name) => [name, env[name] ?? ""])),
  };
}

async function byLanguage(text: string, sent: Sent): Promise<Outcome> {
  const { blocks } = await configurationOf(text);
  const [hook] = blocks.hook;
  if (!hook) throw new Error("there is no hook");
  const decision = decide(
    {
      method: sent.method,
      headers: headersOf(sent.headers),
      query: sent.query,
      remoteIp: "192.0.2.7",
      now: 0,
      body: Buffer.from(sent.body),
    },
    hook,
  );
  if (decision.kind === "refuse") return { runs: false };
  const { argv, env, files = {} } = decision.command;
  const texts = Object.entries(env)
    .filter(([name]) => !Object.hasOwn(files, name))
    .map(([name, value]) => [name, String(value)]);
  const contents = Object.entries(files).map(([name, value]) => [name, String(value)]);
  return {
    ...{ runs: true, argv, env: Object.fromEntries(texts) },
    files: Object.fromEntries(contents),
  };
}

function converted(hooks: readonly object[]): {
  readonly text: string;
  readonly left: readonly string[];
  readonly hooks: readonly FileHook[];
} {
  const reading = readHooks(JSON.stringify(hooks), { strict: false });
  if (!reading.ok) throw new Error(reading.complaints[0].message);
  const { text, left } = convertHooks(reading.hooks);
  const formatted = format(text);
  if (!("text" in formatted)) throw new Error(text);
  return { text: formatted.text, left: left.map(({ reason }) => reason), hooks: reading.hooks };
}

/** Paths into what is there or not; a path into something of another kind fails in the language. */
const name = fc.constantFrom("a", "b", "c.d", "list.0", "list.1.x", "gone", "gone.x");
const word = fc.constantFrom("", "x", "1", "true", 'q"\\${x}', "é\n", "other");
const reference = fc.oneof(
  fc.record({ source: fc.constant("payload"), name }),
  fc.record({ source: fc.constant("header"), name: fc.constantFrom("X-One", "x-gone") }),
  fc.record({ source: fc.constantFrom("url", "query"), name: fc.constantFrom("q", "gone") }),
  fc.record({ source: fc.constant("string"), name: word }),
  fc.record({ source: fc.constantFrom("raw-request-body", "entire-query") }),
  fc.record({ source: fc.constant("request"), name: fc.constant("method") }),
);
const match = fc.oneof(
  fc.record({ type: fc.constant("value"), value: word, parameter: reference }),
  fc.record({
    type: fc.constant("regex"),
    regex: fc.constantFrom("^x", "\\d", "(?i)TRUE", 'q"', "^$"),
    parameter: reference,
  }),
  fc.record({
    type: fc.constant("ip-whitelist"),
    "ip-range": fc.constantFrom("192.0.2.0/24", "192.0.2.7", "10.0.0.0/8 ::1"),
  }),
);
const { rule } = fc.letrec<{ rule: object }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({ match }),
    fc.record({ and: fc.array(tie("rule"), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie("rule"), { maxLength: 3 }) }),
    fc.record({ not: tie("rule") }),
  ),
}));
const hook = fc.record(
  {
    id: fc.constantFrom("x", "a/b", "with.dots"),
    "execute-command": fc.constantFrom("/bin/echo", "echo", "./a b.sh"),
    "pass-arguments-to-command": fc.array(reference, { maxLength: 3 }),
    "pass-environment-to-command": fc.array(
      fc.record({ source: fc.constant("payload"), name, envname: fc.constantFrom("ONE", "TWO") }),
      { maxLength: 2 },
    ),
    "pass-file-to-command": fc.array(
      fc.record({ source: fc.constant("payload"), name, envname: fc.constant("FILE") }),
      { maxLength: 1 },
    ),
    "http-methods": fc.constantFrom([], ["POST"], ["get", "Post "]),
    "trigger-rule": rule,
  },
  { requiredKeys: ["id", "execute-command"] },
);
const scalar = fc.oneof(
  fc.constantFrom("x", "1", "true", 'q"\\${x}', ""),
  fc.integer(),
  fc.boolean(),
);
const payload = fc.record(
  {
    a: scalar,
    b: fc.oneof(scalar, fc.record({ k: scalar })),
    c: fc.record({ d: scalar }),
    list: fc.tuple(scalar, fc.record({ x: scalar })),
  },
  { requiredKeys: [] },
);
const sent = fc.record({
  method: fc.constantFrom("POST", "PUT", "DELETE"),
  headers: fc.constantFrom(
    { "content-type": "application/json" },
    { "content-type": "application/json", "x-one": "x" },
  ),
  query: fc.constantFrom("", "q=1", "q=x&q=2"),
  body: payload.map((value) => JSON.stringify(value)),
});

test("the same decision, arguments and variables for the same request", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      hook,
      fc.array(sent, { minLength: 1, maxLength: 4 }),
      async (written, requests) => {
        const { text, left, hooks } = converted([written]);
        t.deepEqual(left, []);
        for (const request of requests) {
          t.deepEqual(await byLanguage(text, request), byFile(hooks[0] as FileHook, request), text);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("a body that is a list is reached by its index", async (t) => {
  const args = [{ source: "payload", name: "root.0.event" }];
  const { text, hooks } = converted([{ ...echo, "pass-arguments-to-command": args }]);
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", query: "", headers, body: '[{"event": "push"}]' };
  t.deepEqual((await byLanguage(text, request)).argv, ["/bin/echo", "push"]);
  t.deepEqual(byFile(hooks[0] as FileHook, request).argv, ["/bin/echo", "push"]);
});

const signature = (secret: string): object => ({
  match: { type: "payload-hmac-sha1", secret, parameter: { source: "header", name: "X-Sig" } },
});
const branch = {
  match: { type: "value", value: "main", parameter: { source: "payload", name: "ref" } },
};
const echo = { id: "x", "execute-command": "/bin/echo" };

test("a signature becomes a proof, several become several, and the secrets stay out", async (t) => {
  const rules = { and: [{ or: [signature("hunter22"), signature("hunter22")] }, branch] };
  const { text, hooks } = converted([{ ...echo, "trigger-rule": rules }]);
  t.notRegex(text, /hunter22/);
  t.is(text.match(/verify "hmac"/g)?.length, 2);
  const body = '{"ref": "main"}';
  const hash = createHmac("sha1", "hunter22").update(body).digest("hex");
  for (const [written, runs] of [
    [hash, true],
    [`sha1=${hash}`, true],
    ["00", false],
    [undefined, false],
  ] as const) {
    const request = {
      ...{ method: "POST", query: "", body },
      headers: { "content-type": "application/json", ...(written ? { "x-sig": written } : {}) },
    };
    t.is(byFile(hooks[0] as FileHook, request).runs, runs);
    t.is((await byLanguage(text, request)).runs, runs);
  }
});

const unsupported: ReadonlyArray<readonly [what: string, hook: object, reason: RegExp]> = [
  [
    "a file in Base64",
    { "pass-file-to-command": [{ source: "payload", name: "x", base64decode: true }] },
    /Base64/,
  ],
  [
    "two files of one name",
    { "pass-file-to-command": ["x", "X"].map((name) => ({ source: "payload", name })) },
    /passed as `HOOK_X`/,
  ],
  ["an unknown status", { "success-http-response-code": 999 }, /999 is not a status/],
  [
    "all headers",
    { "pass-arguments-to-command": [{ source: "entire-headers" }] },
    /entire-headers/,
  ],
  [
    "an optional signature",
    { "trigger-rule": { or: [signature("s"), branch] } },
    /one of several ways in/,
  ],
  [
    "two signatures at once",
    { "trigger-rule": { and: [signature("s"), signature("t")] } },
    /several signatures/,
  ],
  ["scalr", { "trigger-rule": { match: { type: "scalr-signature", secret: "s" } } }, /scalr/],
  ["CSV", { "incoming-payload-content-type": "text/csv" }, /does not read text\/csv/],
];
for (const [what, more, reason] of unsupported) {
  test(`${what} cannot be said, and that is said`, (t) => {
    const { text, left } = converted([{ ...echo, ...more }]);
    t.is(text.trim(), "");
    t.regex(left.join(), reason);
  });
}

test("a whole hook, as it is printed", (t) => {
  const { text } = converted([
    {
      id: "deploy",
      "execute-command": "deploy.sh",
      "command-working-directory": "/srv/app",
      "response-message": "thank you",
      "http-methods": ["POST"],
      "pass-arguments-to-command": [{ source: "payload", name: "head_commit.id" }],
      "trigger-rule": { and: [signature("s"), branch] },
    },
  ]);
  t.snapshot(text);
});
