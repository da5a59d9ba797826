/** Spec §1 and §2: what a request makes of a hook, and which requests make nothing of it. */
import { createHmac } from "node:crypto";
import test from "ava";
import { decided, outcome, type Sent } from "./testing/one.js";

function argsOf(references: readonly object[], sent: Sent, more: object = {}): readonly string[] {
  const { decision } = decided({ "pass-arguments-to-command": references, ...more }, sent);
  return decision.kind === "run" ? decision.command.argv.slice(1) : [String(decision.status)];
}

const body = '{"a": {"b": "deep"}, "n": 1.0}';
const sources: ReadonlyArray<readonly [source: string, name: string, text: string]> = [
  ["header", "x-event", "push"],
  ["url", "q", "1"],
  ["query", "q", "1"],
  ["payload", "a.b", "deep"],
  ["payload", "n", "1.0"],
  ["raw-request-body", "", body],
  ["request", "METHOD", "POST"],
  ["request", "remote-addr", "192.0.2.7:4711"],
  ["string", "constant", "constant"],
  ["entire-payload", "", '{"a":{"b":"deep"},"n":1.0}'],
  ["entire-query", "", '{"q":"1"}'],
  ["entire-headers", "", '{"Content-Type":"application/json","X-Event":"push"}'],
  ["nonsense", "x", ""],
  ["payload", "gone", ""],
];
for (const [source, name, text] of sources) {
  test(`the source ${source} ${name}`, (t) => {
    const sent = { body, query: "q=1&q=2", headers: { "x-event": "push" } };
    t.deepEqual(argsOf([{ source, name }], sent), [text]);
  });
}

test("a missing argument keeps its place, and the log says so", (t) => {
  const { decision, notes } = decided(
    {
      "pass-arguments-to-command": [
        { source: "payload", name: "x" },
        { source: "string", name: "y" },
      ],
    },
    { body: "{}" },
  );
  t.deepEqual(decision.kind === "run" && decision.command.argv, ["/bin/echo", "", "y"]);
  t.true(
    notes.some((line) =>
      line.includes(
        "error extracting command arguments: couldn't retrieve argument for {Source:payload Name:x EnvName: Base64Decode:false}",
      ),
    ),
  );
});

test("variables are named by `envname` or by their path, and absent if missing", (t) => {
  const { decision } = decided(
    {
      "pass-environment-to-command": [
        { source: "payload", name: "a.b" },
        { source: "payload", name: "a.b", envname: "MINE" },
        { source: "payload", name: "gone" },
        { source: "entire-payload" },
      ],
    },
    { body },
  );
  t.deepEqual(decision.kind === "run" && { ...decision.command.env }, {
    "HOOK_a.b": "deep",
    MINE: "deep",
    HOOK_: '{"a":{"b":"deep"},"n":1.0}',
  });
});

test("files have a variable in capitals and bytes out of Base64, as far as it goes", (t) => {
  const { decision } = decided(
    {
      "pass-file-to-command": [
        { source: "payload", name: "good", base64decode: true },
        { source: "payload", name: "broken", base64decode: true, envname: "B" },
        { source: "payload", name: "gone" },
      ],
    },
    { body: '{"good": "aGk=", "broken": "aGkhaGkh!!"}' },
  );
  t.deepEqual(
    decision.kind === "run" &&
      decision.command.files.map(({ variable, content }) => [
        variable,
        Buffer.from(content).toString(),
      ]),
    [
      ["HOOK_GOOD", "hi"],
      ["B", "hi!hi!"],
    ],
  );
});

const parsed = (name: string, source = "payload"): object => ({
  "parse-parameters-as-json": [{ source, name }],
});
const parsings: ReadonlyArray<
  readonly [what: string, sent: Sent, hook: object, path: string, text: string]
> = [
  ["an object", { body: '{"p": "{\\"x\\": 1.0}"}' }, parsed("p"), "p.x", "1.0"],
  ["a list stays a text", { body: '{"p": "[1]"}' }, parsed("p"), "p", "[1]"],
  ["what is broken stays a text", { body: '{"p": "{"}' }, parsed("p"), "p", "{"],
  ["something missing is passed over", { body: '{"p": "1"}' }, parsed("gone"), "p", "1"],
  [
    "a dotted name (defect 6)",
    { body: '{"p": {"q": "{\\"x\\": 1}"}}' },
    parsed("p.q"),
    "p.q.x",
    "1",
  ],
];
for (const [what, sent, hook, path, text] of parsings) {
  test(`parse-parameters-as-json: ${what}`, (t) => {
    t.deepEqual(argsOf([{ source: "payload", name: path }], sent, hook), [text]);
  });
}

type BodyRow = readonly [type: string, body: string, path: string, loose: string, strict: string];
const bodies: readonly BodyRow[] = [
  ["application/json", '{"a": 1}', "a", "1", "1"],
  ["application/vnd.x+json; charset=utf-8", '{"a": 1}', "a", "1", "1"],
  ["application/json", '[{"a": 1}]', "root.0.a", "1", "1"],
  ["application/json", '{"a": 1, "a": 2}', "a", "2", "2"],
  ["application/json", '{"a": 1} trailing', "a", "1", "400"],
  ["application/json", '{"a": ', "a", "", "400"],
  ["application/json", "1", "a", "", "400"],
  ["application/json", "\ufeff{}", "a", "", "400"],
  ["application/x-www-form-urlencoded", "a=1&a=2", "a", "1", "1"],
  ["application/x-www-form-urlencoded", "a=1;b=2", "a", "", "400"],
  ["application/xml", "<a><b c='1'/></a>", "a.b.-c", "1", "1"],
  ["text/plain", "a=1", "a", "", ""],
  ["text/json-like", '{"a": 1}', "a", "1", ""],
];
for (const [type, text, path, loose, strict] of bodies) {
  test(`${type} ${JSON.stringify(text)}: ${path} is ${loose || "missing"}, strict ${strict || "missing"}`, (t) => {
    const hook = { "pass-arguments-to-command": [{ source: "payload", name: path }] };
    for (const [isStrict, expected] of [
      [false, loose],
      [true, strict],
    ] as const) {
      const { decision } = decided(
        hook,
        { body: text, headers: { "content-type": type } },
        isStrict,
      );
      t.is(decision.kind === "run" ? decision.command.argv[1] : String(decision.status), expected);
    }
  });
}

test("defect 3: broken JSON does not run the hook, if strict", (t) => {
  t.is(outcome({}, { body: "{" }), "run");
  t.is(outcome({}, { body: "{" }, true), 400);
});

test("incoming-payload-content-type chooses the parser, the header stays", (t) => {
  const sent = { body: '{"a": 1}', headers: { "content-type": "text/plain" } };
  const hook = { "incoming-payload-content-type": "application/json" };
  t.deepEqual(
    argsOf(
      [
        { source: "payload", name: "a" },
        { source: "header", name: "content-type" },
      ],
      sent,
      hook,
    ),
    ["1", "text/plain"],
  );
});

const form = (boundary: string): Sent => ({
  headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  body: `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: application/json\r\n\r\n{"x": 2}\r\n--${boundary}\r\nContent-Disposition: form-data; name="g"; filename="g"\r\nContent-Type: image/png\r\n\r\nx\r\n--${boundary}--\r\n`,
});
test("multipart: values, files that are JSON, and no others", (t) => {
  const paths = ["a", "f.x", "g"].map((name) => ({ source: "payload", name }));
  t.deepEqual(argsOf(paths, form("xyz")), ["1", "2", ""]);
});
test("multipart that cannot be parsed is refused", (t) => {
  const sent = { ...form("xyz"), body: "nonsense" };
  t.is(outcome({}, sent), 500);
  t.is(outcome({}, sent, true), 400);
});
test("defect 14: a boundary that has `json` in it is a boundary, if strict", (t) => {
  const hook = { "pass-arguments-to-command": [{ source: "payload", name: "a" }] };
  const { decision } = decided(hook, form("my-json-mark"), true);
  t.is(decision.kind === "run" && decision.command.argv[1], "1");
});
for (const strict of [false, true]) {
  test(`defect 2: the signature of multipart is that of its real body${strict ? ", strict" : ""}`, (t) => {
    const sent = form("xyz");
    const hash = (text: string): string =>
      createHmac("sha256", "hunter22").update(text).digest("hex");
    const hook = {
      "trigger-rule": {
        match: {
          type: "payload-hmac-sha256",
          secret: "hunter22",
          parameter: { source: "header", name: "x-sig" },
        },
      },
    };
    const signed = (text: string): Sent => ({
      ...sent,
      headers: { ...sent.headers, "x-sig": hash(text) },
    });
    t.is(outcome(hook, signed(sent.body ?? ""), strict), "run");
    t.is(outcome(hook, signed(""), strict), strict ? 401 : 500);
  });
}

const methods: ReadonlyArray<
  readonly [
    method: string,
    methods: readonly string[],
    loose: "run" | number,
    strict: "run" | number,
  ]
> = [
  ["GET", [], "run", "run"],
  ["Get", [], "run", "run"],
  ["FOO", [], "run", "run"],
  ["HEAD", [], "run", 405],
  ["OPTIONS", [], "run", 405],
  ["HEAD", ["head"], "run", "run"],
  ["POST", ["Post "], "run", "run"],
  ["Get", ["get"], 405, 405],
  ["GET", ["POST"], 405, 405],
];
for (const [method, allowed, loose, strict] of methods) {
  test(`${method} of a hook for ${allowed.join() || "all methods"}: ${loose}, strict ${strict} (defect 12)`, (t) => {
    t.is(outcome({ "http-methods": allowed }, { method, body: "{}" }), loose);
    t.is(outcome({ "http-methods": allowed }, { method, body: "{}" }, true), strict);
  });
}
