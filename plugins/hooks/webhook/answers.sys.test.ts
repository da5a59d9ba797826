/** Spec §4, "HTTP semantics": every row, over the wire. */
import test from "ava";
import { type Got, type Sent, serving } from "./testing/running.js";

const no = { match: { type: "value", value: "x", parameter: { source: "query", name: "no" } } };
const badPattern = {
  match: { type: "regex", regex: "(?=x)", parameter: { source: "string", name: "x" } },
};
const output = { "include-command-output-in-response": true };
const echo = (text: string): object => ({
  "execute-command": "/bin/echo",
  "pass-arguments-to-command": [{ source: "string", name: text }],
});
const hooks = [
  { id: "plain", "execute-command": "/bin/true", "response-message": "thank you" },
  { id: "empty", "execute-command": "/bin/true" },
  { id: "a/b c?", "execute-command": "/bin/true", "response-message": "odd" },
  { id: "gone", "execute-command": "/nowhere/at/all", "response-message": "never knows" },
  { id: "post", "execute-command": "/bin/true", "http-methods": ["Post "] },
  {
    id: "created",
    "execute-command": "/bin/true",
    "success-http-response-code": 201,
    "response-message": "made",
  },
  {
    id: "nocontent",
    "execute-command": "/bin/true",
    "success-http-response-code": 204,
    "response-message": "x",
  },
  {
    id: "999",
    "execute-command": "/bin/true",
    "success-http-response-code": 999,
    "response-message": "x",
  },
  { id: "echo", ...echo("hello"), ...output, "response-message": "ignored" },
  { id: "html", ...echo("<html><body>x"), ...output },
  {
    id: "json",
    ...echo("{}"),
    ...output,
    "response-headers": [{ name: "Content-Type", value: "application/json" }],
  },
  {
    id: "both",
    "execute-command": "/bin/sh",
    "pass-arguments-to-command": [
      { source: "string", name: "-c" },
      { source: "string", name: "echo 1; echo 2 >&2; echo 3; exit 4" },
    ],
    ...output,
    "include-command-output-in-response-on-error": true,
    "response-headers": [{ name: "X-Own", value: "1" }],
  },
  { id: "fails", "execute-command": "/bin/false", ...output, "success-http-response-code": 201 },
  {
    id: "cannot",
    "execute-command": "/nowhere/at/all",
    ...output,
    "include-command-output-in-response-on-error": true,
  },
  {
    id: "rules",
    "execute-command": "/bin/true",
    "trigger-rule": no,
    "response-headers": [{ name: "X-Own", value: "1" }],
  },
  {
    id: "rules400",
    "execute-command": "/bin/true",
    "trigger-rule": no,
    "trigger-rule-mismatch-http-response-code": 400,
  },
  { id: "broken", "execute-command": "/bin/true", "trigger-rule": badPattern },
  {
    id: "overrides",
    "execute-command": "/bin/true",
    "response-headers": [{ name: "X-All", value: "hook" }],
  },
];

const FAILED =
  "Error occurred while executing the hook's command. Please check your logs for more details.";
interface Row {
  readonly what: string;
  readonly path: string;
  readonly sent?: Sent;
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}
const text = "text/plain; charset=utf-8";
const rows: readonly Row[] = [
  {
    what: "any method on `/`",
    path: "/",
    sent: { method: "PUT" },
    status: 200,
    body: "OK",
    headers: { "x-all": "every" },
  },
  {
    what: "a path outside the prefix",
    path: "/else",
    status: 404,
    body: "404 page not found\n",
    headers: { "x-content-type-options": "nosniff" },
  },
  {
    what: "the prefix without its slash",
    path: "/hooks",
    status: 404,
    body: "404 page not found\n",
  },
  {
    what: "an unknown id",
    path: "/hooks/unknown",
    status: 404,
    body: "Hook not found.",
    headers: { "x-all": undefined },
  },
  {
    what: "an id with a slash at its end",
    path: "/hooks/plain/",
    status: 404,
    body: "Hook not found.",
  },
  {
    what: "a method that is not allowed",
    path: "/hooks/post",
    sent: { method: "GET" },
    status: 405,
    body: "",
    headers: { allow: undefined, "x-all": undefined, "content-type": undefined },
  },
  { what: "a method that is", path: "/hooks/post", status: 200, body: "" },
  {
    what: "`//` in the path",
    path: "//hooks/plain?a=b",
    status: 301,
    body: "",
    headers: { location: "/hooks/plain?a=b" },
  },
  {
    what: "`..` in the path",
    path: "/hooks/x/../plain",
    status: 301,
    body: "",
    headers: { location: "/hooks/plain" },
  },
  { what: "a bad escape in the path", path: "/hooks/%zz", status: 400, body: "400 Bad Request" },
  {
    what: "triggered, no output",
    path: "/hooks/plain",
    status: 200,
    body: "thank you",
    headers: { "content-type": text, "content-length": "9", "x-all": "every" },
  },
  {
    what: "triggered by GET",
    path: "/hooks/plain",
    sent: { method: "GET" },
    status: 200,
    body: "thank you",
  },
  { what: "triggered with a query", path: "/hooks/plain?x=1", status: 200, body: "thank you" },
  {
    what: "nothing to say",
    path: "/hooks/empty",
    status: 200,
    body: "",
    headers: { "content-type": undefined, "content-length": "0" },
  },
  {
    what: "an id with slash, blank and question mark",
    path: "/hooks/a/b%20c%3F",
    status: 200,
    body: "odd",
  },
  {
    what: "a command that does not exist, in the background",
    path: "/hooks/gone",
    status: 200,
    body: "never knows",
  },
  { what: "a configured status", path: "/hooks/created", status: 201, body: "made" },
  { what: "204 has no body", path: "/hooks/nocontent", status: 204, body: "" },
  { what: "a status that nobody knows", path: "/hooks/999", status: 200, body: "x" },
  {
    what: "output",
    path: "/hooks/echo",
    status: 200,
    body: "hello\n",
    headers: { "content-type": text },
  },
  {
    what: "output that is HTML",
    path: "/hooks/html",
    status: 200,
    body: "<html><body>x\n",
    headers: { "content-type": "text/html; charset=utf-8" },
  },
  {
    what: "a content type of its own",
    path: "/hooks/json",
    status: 200,
    body: "{}\n",
    headers: { "content-type": "application/json" },
  },
  { what: "a failure", path: "/hooks/fails", status: 500, body: FAILED },
  {
    what: "a failure with its output, both streams in order",
    path: "/hooks/both",
    status: 500,
    body: "1\n2\n3\n",
    headers: { "x-own": "1" },
  },
  {
    what: "a command that cannot start, with its output",
    path: "/hooks/cannot",
    status: 500,
    body: "",
  },
  {
    what: "rules not satisfied",
    path: "/hooks/rules",
    status: 200,
    body: "Hook rules were not satisfied.",
    headers: { "x-all": "every", "x-own": undefined },
  },
  {
    what: "rules not satisfied, with a status",
    path: "/hooks/rules400",
    status: 400,
    body: "Hook rules were not satisfied.",
  },
  {
    what: "rules that cannot be judged",
    path: "/hooks/broken",
    status: 500,
    body: "Error occurred while evaluating hook rules.",
  },
  {
    what: "a form that cannot be parsed",
    path: "/hooks/plain",
    sent: { headers: { "content-type": "multipart/form-data; boundary=x" }, body: "no" },
    status: 500,
    body: "Error occurred while parsing multipart form.",
  },
  {
    what: "a header of a hook instead of everybody's",
    path: "/hooks/overrides",
    status: 200,
    body: "",
    headers: { "x-all": "hook" },
  },
];

test("the table of answers", async (t) => {
  const server = await serving(t, hooks, ["-verbose", "-header", "X-All=every"]);
  for (const { what, path, sent = {}, status, body, headers = {} } of rows) {
    const got: Got = await server.ask(path, sent);
    t.deepEqual({ status: got.status, body: got.body }, { status, body }, what);
    for (const [name, value] of Object.entries(headers))
      t.is(got.headers[name], value, `${what}: ${name}`);
  }
});
