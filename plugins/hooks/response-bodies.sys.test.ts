/** Bodies that the configuration gives to finished runs and to refusals, and headers in UTF-8. */
import { request } from "node:http";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER } from "./testing/pieces.js";
import { VERIFY } from "./testing/request.js";

const ends = (code: number, response: string) =>
  hook("x", `run = ["sh", "-c", "echo '<b>'; exit ${code}"]\nresponse { ${response} }`);
const RESULT = 'result_body = "${state} ${exit_code} ${html(trim(output))} ${query.q}"';

const finished: ReadonlyArray<
  readonly [title: string, block: string, status: number, body: RegExp]
> = [
  ["success", ends(0, RESULT), 200, /^succeeded 0 &lt;b&gt; a$/],
  ["a failure", ends(3, RESULT), 500, /^failed 3 &lt;b&gt; a$/],
  ["a status by exit code", ends(3, `${RESULT}\nexit_status = { "3" = 404 }`), 404, /^failed 3 /],
  ["a status of success", ends(0, `${RESULT}\nstatus = 201`), 201, /^succeeded 0 /],
  ["the run", ends(0, "result_body = run"), 200, /^01[a-z0-9]{18}$/],
  [
    "a value that is missing",
    ends(0, "result_body = payload.x"),
    502,
    /`payload` is missing; run /,
  ],
  [
    "output that is not what is expected",
    ends(0, "result_body = json_decode(output).x"),
    502,
    /cannot be evaluated/,
  ],
  [
    "a command that cannot start",
    hook("x", `run = ["/nowhere"]\nresponse { ${RESULT} }`),
    500,
    /"command failed/i,
  ],
];

for (const [title, block, status, body] of finished) {
  test(`result_body: ${title}`, async (t) => {
    const { post } = await startFixture(t, SERVER + block);
    const response = await post("x?q=a");
    t.regex(await response.text(), body);
    t.is(response.status, status);
    t.truthy(response.headers.get("reeve-run"));
  });
}

const REFUSAL =
  'refusal_body = json_encode({ error = reason, status = status, m = method })\nrefusal_type = "application/json"';
const body = (reason: string, status: number, method = "POST") =>
  JSON.stringify({ error: reason, status, m: method });

const refused: ReadonlyArray<
  readonly [title: string, attributes: string, status: number, reason: string, init?: RequestInit]
> = [
  ["a sender that is not verified", VERIFY, 401, "bad_signature"],
  ["a condition that does not hold", "when = false", 403, "condition_not_met"],
  ["an address that is not allowed", 'allow_from = ["192.0.2.1"]', 403, "address_not_allowed"],
  ["a value that is missing", "env = { A = payload.a }", 422, "incomplete_request"],
  ["another method", "", 405, "method_not_allowed", { method: "PUT" }],
  ["a command that fails", 'run = ["false"]', 500, "command_failed"],
  ["a body that cannot be read", "when = payload.a == 1", 400, "bad_body", { body: "{" }],
];

for (const [title, attributes, status, reason, init] of refused) {
  test(`refusal_body: ${title}`, async (t) => {
    const run = attributes.includes("run =") ? "" : 'run = ["true"]\n';
    const { url } = await startFixture(
      t,
      SERVER + hook("x", `${run}${attributes}\nresponse {\nwait = true\n${REFUSAL}\n}`),
    );
    const response = await fetch(`${url}/x`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      ...init,
    });
    t.is(await response.text(), body(reason, status, init?.method));
    t.is(response.status, status);
    t.is(response.headers.get("content-type"), "application/json");
    t.is(response.headers.get("x-content-type-options"), "nosniff");
  });
}

test("a refusal keeps its headers, and without the values it needs it is a problem", async (t) => {
  const { url } = await startFixture(
    t,
    SERVER +
      hook("x", `run = ["true"]\nresponse { refusal_body = "no" }`) +
      hook("y", `run = ["true"]\nresponse { refusal_body = header["X-None"] }`),
  );
  const plain = await fetch(`${url}/x`);
  t.is(plain.headers.get("allow"), "POST");
  t.is(plain.headers.get("content-type"), "text/plain; charset=utf-8");
  t.is(await plain.text(), "no");
  const problem = await fetch(`${url}/y`);
  t.is(problem.headers.get("content-type"), "application/problem+json; charset=utf-8");
});

for (const [attributes, expected] of [
  ['body = "a"\nresult_body = "b"', /not `body`/],
  ['include_output = true\nresult_body = "b"', /not `include_output`/],
  ['stream = "sse"\nresult_body = "b"', /not `stream`/],
  ['poll = true\nresult_body = "b"', /with `poll`/],
  ['refusal_body = "b"\nrefusal_type = "a\\n"', /printable ASCII/],
  ["body = output", /`output`/],
] as const) {
  test(`a response with ${attributes.replaceAll("\n", ", ")} is refused`, async (t) => {
    const fixture = await startFixture(t, SERVER);
    const messages = await fixture.edit(SERVER + ends(0, attributes));
    t.true(
      messages.some((message) => expected.test(message)),
      messages.join("\n"),
    );
  });
}

for (const [title, sent, seen] of [
  ["UTF-8", Buffer.from("Jürgen ☂"), "Jürgen ☂"],
  ["not UTF-8", Buffer.from("J\xfcrgen", "latin1"), "Jürgen"],
  ["ASCII", Buffer.from("Jane"), "Jane"],
] as const) {
  test(`a header's value that is ${title} is text`, async (t) => {
    const { url } = await startFixture(
      t,
      SERVER +
        hook("x", `run = ["printf", "%s", header["X-Name"]]\nresponse { include_output = true }`),
    );
    const answer = await new Promise<string>((resolve, reject) => {
      const sending = request(`${url}/x`, {
        method: "POST",
        headers: { "x-name": sent.toString("latin1") },
      });
      sending.on("error", reject).on("response", (response) => {
        response.setEncoding("utf8").once("data", resolve);
      });
      sending.end();
    });
    t.is(answer, seen);
  });
}
