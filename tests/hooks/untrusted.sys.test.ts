/** Whatever strangers send: an answer from the table, and the server goes on. */
import { connect } from "node:net";
import test from "ava";
import fc from "fast-check";
import { decide } from "../../plugins/hooks/decide/decide.js";
import { startFixture } from "../../plugins/hooks/testing/fixture.js";
import { request } from "../../plugins/hooks/testing/request.js";
import { anyText } from "../support/text.js";
import { hookOf } from "./hook-of.js";

const KNOWN = new Set([400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 202, 503]);

const contentType = fc.oneof(
  fc.constantFrom("application/json", "application/x-www-form-urlencoded", "text/plain", ""),
  fc.string({ maxLength: 40 }),
);
const body = fc.oneof(
  fc.json({ depthSize: "large" }),
  anyText(),
  fc.uint8Array({ maxLength: 2000 }),
  fc.constantFrom(
    '{"__proto__":{"ref":"main"}}',
    '{"constructor":{"prototype":{"ref":"main"}}}',
    `{"ref":${"[".repeat(90)}${"]".repeat(90)}}`,
    `${'{"ref":'.repeat(50_000)}`,
    `{"ref":1e${"9".repeat(400)}}`,
    `{"ref":${"9".repeat(10_000)}}`,
    '{"ref":"\\ud800"}',
    "\uFEFF{}",
    "a=1&".repeat(5000),
    "__proto__=1&ref=main",
  ),
);
const header = fc.dictionary(
  fc.constantFrom("x-a", "x-hub-signature-256", "content-encoding", "accept", "__proto__", "host"),
  fc.string(),
);

test("a decision is always one of those promised, and always the same", async (t) => {
  const hook = await hookOf(`
    run = ["x", payload.ref, header["X-A"] ?? "-", query.q ?? "-"]
    when = payload.ref != "no" && !(payload.ref =~ re"^(a+)+$")
    env = { R = payload.ref }
    stdin = payload
    response { headers = { "X-Ref" = payload.ref } }
  `);
  fc.assert(
    fc.property(contentType, body, header, fc.string(), (type, bytes, headers, query) => {
      const sent = request({ body: bytes, headers: { ...headers, "content-type": type }, query });
      const decision = decide(sent, hook);
      if (JSON.stringify(decide(sent, hook)) !== JSON.stringify(decision)) return false;
      if (decision.kind === "refuse") {
        const { status, detail } = decision.refusal;
        return KNOWN.has(status) && status >= 400 && detail.length < 500;
      }
      const { argv, env } = decision.command;
      return [...argv, ...Object.values(env)].every((word) => !String(word).includes("\0"));
    }),
    { numRuns: 400 },
  );
  t.is(({} as { ref?: unknown }).ref, undefined);
});

test("without the secret every request is refused", async (t) => {
  const hook = await hookOf(
    'run = ["x"]\nverify "hmac" { header = "X-Hub-Signature-256"; secret = secret("env:S") }',
  );
  fc.assert(
    fc.property(contentType, body, header, (type, bytes, headers) => {
      const decision = decide(
        request({ body: bytes, headers: { ...headers, "content-type": type } }),
        hook,
      );
      return decision.kind === "refuse" && decision.refusal.status === 401;
    }),
  );
  t.pass();
});

test("the server answers whatever is written to it, or hangs up, and goes on", async (t) => {
  const at = await startFixture(
    t,
    'hook_server "main" { listen = "127.0.0.1:0"; body_limit = 4KiB }\nhook "x" { run = ["true", payload.ref] }',
  );
  const { port } = new URL(at.url);
  const line = fc.oneof(
    fc.constantFrom(
      "POST /hooks/x HTTP/1.1",
      "GET /hooks/x HTTP/1.1",
      "POST /hooks/%00 HTTP/1.1",
      "PRI * HTTP/2.0",
      "POST http://h/hooks/x HTTP/1.1",
      "OPTIONS * HTTP/1.1",
    ),
    fc.string({ maxLength: 60 }),
  );
  const field = fc.constantFrom(
    "content-length: 5",
    "content-length: -1",
    "content-length: 99999999",
    "transfer-encoding: chunked",
    "content-type: application/json",
    "content-type: ;;;",
    "expect: 100-continue",
    "x: y",
    "accept: text/plain",
  );
  await fc.assert(
    fc.asyncProperty(
      line,
      fc.array(field, { maxLength: 5 }),
      fc.string({ maxLength: 200 }),
      async (first, fields, rest) => {
        const text = [first, "host: h", "connection: close", ...fields, "", rest].join("\r\n");
        const answer = await exchange(Number(port), text);
        if (answer === "") return true;
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
        return KNOWN.has(status) || status === 100 || status === 417;
      },
    ),
    { numRuns: 150 },
  );
  t.is((await at.post("x", '{"ref":"main"}', { "content-type": "application/json" })).status, 202);
});

for (const [how, framing, part] of [
  ["with its length announced", "content-length: 50", '{"ref":"main"}'],
  ["in chunks", "transfer-encoding: chunked", 'e\r\n{"ref":"main"}\r\n'],
] as const) {
  test(`a body that is cut off, ${how}, runs nothing`, async (t) => {
    const at = await startFixture(
      t,
      'hook_server "main" { listen = "127.0.0.1:0" }\nhook "x" { run = ["true", payload.ref] }',
    );
    const head = ["POST /hooks/x HTTP/1.1", "host: h", "content-type: application/json", framing];
    const answer = await exchange(
      Number(new URL(at.url).port),
      `${head.join("\r\n")}\r\n\r\n${part}`,
    );
    t.notRegex(answer, /^HTTP\/1\.1 2/);
    await at.post("x", '{"ref":"whole"}', { "content-type": "application/json" });
    await at.next("hook.finished");
    const runs = await at.plugin.runs();
    t.deepEqual(
      runs.map(({ detail }) => detail),
      [{ argv: ["true", "whole"] }],
    );
  });
}

/** What comes back until the other side has nothing more to say. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.setEncoding("utf8");
    socket.on("data", (data: string) => {
      answer += data;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answer));
  });
}
