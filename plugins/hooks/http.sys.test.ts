/** Hooks over real sockets: the table of what a sender is told. */
import test, { type ExecutionContext } from "ava";
import type { Isolation } from "reeve/plugin";
import { startFixture } from "./testing/fixture.js";
import { sign, VERIFY } from "./testing/request.js";

const SERVER = 'hook_server "main" { listen = "127.0.0.1:0"; body_limit = 1KiB }\n';
const JSON_BODY = { "content-type": "application/json" };

const HOOKS = `${SERVER}
hook "quick" { run = ["true"] }
hook "team/site" { run = ["true"] }
hook "signed" {
  run = ["true"]
  ${VERIFY}
}
hook "main-only" {
  when = payload.ref == "main"
  run = ["echo", payload.ref]
  response {
    include_output = true
    headers = { "X-Ref" = payload.ref, "Content-Type" = "text/x-log" }
  }
}
hook "told" {
  run = ["true"]
  response {
    wait = true
    status = 201
    body = "built \${payload.ref}"
  }
}
hook "silent" {
  run = ["true"]
  response { status = 204 }
}
hook "waited" {
  run = ["true"]
  response { wait = true }
}
hook "fails" {
  run = ["sh", "-c", "echo broken; exit 3"]
  response { wait = true }
}
hook "fails-loudly" {
  run = ["sh", "-c", "echo broken; exit 3"]
  response {
    include_output_on_error = true
    failure_status = 502
  }
}
hook "absent" {
  run = ["./not-there"]
  response { wait = true }
}
hook "slow" {
  run = ["sleep", "60"]
  timeout = 50ms
  response { wait = true }
}
hook "reads" {
  run = ["cat"]
  stdin = payload
  methods = ["POST", "PUT", "GET"]
  response { include_output = true }
}
hook "environment" {
  run = ["sh", "-c", "echo $REEVE_HOOK $A $TOKEN; printf $TOKEN | wc -c"]
  env = { A = query.a, TOKEN = secret("env:TOKEN") }
  response { include_output = true }
}
`;

interface Row {
  readonly title: string;
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly answer?: RegExp;
  readonly answerHeaders?: Record<string, RegExp>;
}

const rows: readonly Row[] = [
  {
    title: "a hook that nobody waits for",
    path: "quick",
    status: 202,
    answer: /^\{"hook":"quick","run":"[\w-]+","state":"accepted"\}$/,
    answerHeaders: { "content-type": /^application\/json/, "reeve-run": /./ },
  },
  { title: "a name with a slash", path: "team/site", status: 202 },
  { title: "a name with an escaped slash", path: "team%2Fsite", status: 202 },
  {
    title: "an unknown hook",
    path: "nope",
    status: 404,
    answer: /"title":"No such hook","status":404/,
    answerHeaders: {
      "content-type": /^application\/problem\+json/,
      "x-content-type-options": /nosniff/,
    },
  },
  { title: "a bad escape", path: "%zz", status: 400 },
  { title: "a slash too many", path: "quick/", status: 404 },
  { title: "the prefix alone", path: "", status: 404 },
  { title: "something that objects have anyway", path: "constructor", status: 404 },
  {
    title: "an unknown hook, asked for in text",
    path: "nope",
    headers: { accept: "text/plain" },
    status: 404,
    answer: /^There is no hook at this address\.\n$/,
    answerHeaders: { "content-type": /^text\/plain/ },
  },
  {
    title: "another method",
    path: "quick",
    method: "DELETE",
    status: 405,
    answerHeaders: { allow: /^POST$/ },
  },
  {
    title: "a method of long ago",
    path: "quick",
    method: "PROPFIND",
    status: 405,
    answerHeaders: { allow: /^POST$/ },
  },
  {
    title: "a body longer than allowed",
    path: "quick",
    body: "x".repeat(1025),
    status: 413,
    answer: /"title":"Body too large"/,
  },
  {
    title: "XML",
    path: "reads",
    body: "<a><b>1</b></a>",
    headers: { "content-type": "text/xml" },
    status: 200,
    answer: /^\{"a":\{"b":"1"\}\}$/,
  },
  {
    title: "a body as long as allowed",
    path: "quick",
    body: "x".repeat(1024),
    headers: { "content-type": "text/plain" },
    status: 202,
  },
  {
    title: "a body of an unknown type",
    path: "quick",
    body: "<a/>",
    headers: { "content-type": "application/x-unheard-of" },
    status: 415,
    answerHeaders: { accept: /application\/json/ },
  },
  {
    title: "a content type that is none",
    path: "quick",
    body: "x",
    headers: { "content-type": "application" },
    status: 415,
  },
  {
    title: "broken JSON",
    path: "quick",
    body: '{"a":}',
    headers: JSON_BODY,
    status: 400,
    answer: /line 1, column 6/,
  },
  {
    title: "no signature",
    path: "signed",
    body: "x",
    status: 401,
    answerHeaders: { "www-authenticate": /HMAC/ },
  },
  {
    title: "a good signature",
    path: "signed",
    body: "x",
    headers: { "x-hub-signature-256": sign("x"), "content-type": "text/plain" },
    status: 202,
  },
  {
    title: "a condition that does not hold",
    path: "main-only",
    body: '{"ref":"other"}',
    headers: JSON_BODY,
    status: 403,
    answer: /"title":"Condition not met"/,
  },
  {
    title: "output and headers of its own",
    path: "main-only",
    body: '{"ref":"main"}',
    headers: JSON_BODY,
    status: 200,
    answer: /^main\n$/,
    answerHeaders: { "x-ref": /^main$/, "content-type": /^text\/x-log/ },
  },
  {
    title: "a missing argument",
    path: "told",
    body: "{}",
    headers: JSON_BODY,
    status: 422,
    answer: /The request has no `payload\.ref`, which is needed for the answer\./,
  },
  {
    title: "an answer of its own",
    path: "told",
    body: '{"ref":"main"}',
    headers: JSON_BODY,
    status: 201,
    answer: /^built main$/,
    answerHeaders: { "content-type": /^text\/plain/ },
  },
  { title: "an answer without a body", path: "silent", status: 204, answer: /^$/ },
  { title: "a command that did well", path: "waited", status: 200, answer: /"state":"succeeded"/ },
  {
    title: "a command that failed",
    path: "fails",
    status: 500,
    answer: /"title":"Command failed".*"run":"/,
    answerHeaders: { "reeve-run": /./ },
  },
  {
    title: "a command that failed and may say so",
    path: "fails-loudly",
    status: 502,
    answer: /^broken\n$/,
  },
  {
    title: "a command that is not there",
    path: "absent",
    status: 500,
    answer: /^(?!.*not-there).*The command failed/,
  },
  {
    title: "a command that takes too long",
    path: "slow",
    status: 504,
    answer: /exceeded its timeout/,
  },
  {
    title: "input",
    path: "reads",
    method: "PUT",
    body: '{"a": [1]}',
    headers: JSON_BODY,
    status: 200,
    answer: /^\{"a":\[1\]\}$/,
  },
  {
    title: "the environment",
    path: "environment?a=1%202",
    status: 200,
    answer: /^environment 1 2 \(secret\)\n8\n$/,
  },
];

for (const isolation of ["inline", "worker", "process"] as const) {
  test(`responses match the table, with the hooks ${isolation}`, responds, isolation);
}

async function responds(t: ExecutionContext, isolation: Isolation): Promise<void> {
  const { url } = await startFixture(t, HOOKS, { isolation });
  for (const { title, path, method = "POST", body, headers = {}, status, ...expected } of rows) {
    const response = await fetch(`${url}/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    t.is(response.status, status, `${title}: ${text}`);
    if (expected.answer) t.regex(text, expected.answer, title);
    for (const [name, value] of Object.entries(expected.answerHeaders ?? {})) {
      t.regex(response.headers.get(name) ?? "", value, `${title}: ${name}`);
    }
  }
}
