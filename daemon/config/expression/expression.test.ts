import test from "ava";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import { codesOf, event, eventScope, expressionOf, outcomeOf } from "../testing/evaluate-text.js";
import { decodeValue, encodeValue } from "../values/wire.js";
import type { RunTimeExpression } from "./expression.js";

const gives = test.macro({
  exec: (t, text: string, outcome: string) => t.is(outcomeOf(text), outcome),
  title: (_, text, outcome) => `${text} is ${outcome}`,
});

// What cannot be is a failure.
test(gives, "payload.ref.x", "failed");
test(gives, "payload.commits.id", "failed");
test(gives, "payload.count && true", "failed");
test(gives, "!payload.ref", "failed");
test(gives, "payload.ref > 1", "failed");
test(gives, "payload.ref + 1", "failed");
test(gives, '"${payload.commits}"', "failed");
test(gives, "lower(payload.count)", "failed");
test(gives, "payload.count / 0", "failed");
test(gives, "json_decode(payload.ref)", "failed");
test(gives, "payload.ref[*].x", "failed");
test(gives, "payload.count ? 1 : 2", "failed");
test(gives, "payload.ref.x ?? 1", "failed");

// Paths.
test(gives, "payload.commits[0].id", '"a"');
test(gives, "payload.commits[-1].id", '"b"');
test(gives, "payload.commits[2]", "missing payload.commits[2]");
test(gives, "payload.commits[*].author.name", '["Ada","Bob"]');
test(gives, "payload.commits[*].files[*]", '["x","y"]');
test(gives, "payload.mixed[*].id", "missing payload.mixed[*].id");
test(gives, '"Ada" in payload.commits[*].author.name', "true");
test(gives, "[for c in payload.commits if length(c.files) > 0: c.id]", '["a"]');
test(gives, "[for m in payload.mixed if m.id == 1: m.id]", "[1]");
test(gives, "[for m in payload.mixed if defined(m.id): m.id]", "[1]");
test(gives, '[for c in payload.commits: [for f in c.files: "${c.id}/${f}"]]', '[["a/x","a/y"],[]]');
test(gives, '[for t in tags if t == (payload.which ?? "b"): t]', '["b"]');
test(gives, '[for n in ["ref", "count"]: payload[n]]', '["refs/heads/main",3]');
// Comprehensions with two variables, and those that make objects.
test(gives, "[for i, c in payload.commits: i]", "[0,1]");
test(gives, "{ for c in payload.commits: c.id => c.author.name }", '{"a":"Ada","b":"Bob"}');
test(gives, '{ for i, t in tags: "n${i}" => t }["n1"]', '"b"');
test(gives, '[for name, value in payload.commits[0].author: "${name}=${value}"]', '["name=Ada"]');
test(gives, "{ for c in payload.commits if c.id == payload.id: c.id => 1 }", "{}");
test(gives, "{ for m in payload.mixed: m.id => 1 }", "failed");
test(gives, '{ for c in payload.commits: "same" => 1 }', "failed");
test(gives, "[for c in payload.commits[0]: c]", "failed");
test(gives, "[for i, c in payload.commits: [for j, f in c.files: i + j]]", "[[0,1],[]]");
test(gives, "payload.constructor", "missing payload.constructor");
test(gives, "payload.__proto__", "missing payload.__proto__");
test(gives, '"toString" in payload', "false");

// Values with units.
test(gives, "size == 2KiB", "true");
test(gives, "size * 2 > 3KiB", "true");
test(gives, '"${size}"', '"2KiB"');
test(gives, "size", "2048");
test(gives, "user.age + 1", "37");

const refuses = test.macro({
  exec: (t, text: string, ...codes: string[]) => t.deepEqual(codesOf(text, eventScope), codes),
  title: (_, text, ...codes) => `${text} is refused at load with ${codes.join(", ")}`,
});
test(refuses, "payloda.ref", "E201");
test(refuses, "user.nmae", "E218");
test(refuses, "method.x", "E218");
test(refuses, "tags.x", "E218");
test(refuses, 'size == "2KiB"', "E307");
test(refuses, "size > 2048", "E307");
test(refuses, "method + 1", "E307");
test(refuses, "!method", "E314");
test(refuses, "method =~ payload.pattern", "E307");
test(refuses, "lower(size)", "E309");
test(refuses, '"${tags}"', "E319");
test(refuses, "method[*]", "E218");
test(refuses, "[for x in user: x]", "E315");
test(refuses, "env(payload.x)", "E214");
test(refuses, "[for payload in tags: payload]", "E206");
test(refuses, "[for payload, t in tags: payload]", "E206");
test(refuses, "[for t, t in tags: t]", "E206");
test(refuses, "{ for t in tags: [t] => 1 }", "E301");
test(refuses, "{ for t in user: t => 1 }", "E315");

const folds = test.macro({
  exec: (t, text: string, op: string) => t.is(expressionOf(text).parts.node.op as string, op),
  title: (_, text, op) => `of ${text} a ${op} is left`,
});
test(folds, "1 + 2", "constant");
test(folds, "false && payload.x", "constant");
test(folds, "true && payload.x", "index");
test(folds, "true || payload.x", "constant");
test(folds, '"a" ?? payload.x', "constant");
test(folds, "null ?? payload.x", "index");
test(folds, "true ? payload.x : payload.y", "index");
test(folds, "try(1, payload.x)", "constant");
test(folds, '"${"a"}${1}"', "constant");
test(folds, "payload.flag && false", "binary");

test("texts around a hole are folded into one", (t) => {
  const { node } = expressionOf('"a${1}b${payload.ref}${"c"}d"').parts;
  t.is(node.op === "template" && node.parts.length, 3);
});

test("a constant expression says so and needs no request", (t) => {
  const expression = expressionOf('lower("A")');
  t.true(expression.constant);
  t.deepEqual(expression.evaluate({}), { kind: "value", value: "a" });
  t.false(expressionOf("payload.ref").constant);
});

test("what does not fit the attribute is a failure that names both", (t) => {
  const result = expressionOf("payload.count", { type: "boolean" }).evaluate(event);
  t.deepEqual(result, {
    kind: "failed",
    message: "`payload.count` gives a number, not true or false",
    range: { file: "<description>", start: 0, end: 13 },
  });
});

test("a failure is on the part that failed", (t) => {
  const text = 'payload.flag && lower(payload.count) == "x"';
  const result = expressionOf(text).evaluate(event);
  t.is(result.kind, "failed");
  const { start, end } = result.kind === "failed" ? result.range : { start: 0, end: 0 };
  t.is(text.slice(start, end), "payload.count");
});

test("loops over what a stranger sent have an end", (t) => {
  const list = Array.from({ length: 2000 }, (_, index) => index);
  const text = "[for a in payload: [for b in payload: a]]";
  const result = expressionOf(text).evaluate({ payload: list });
  t.is(result.kind, "failed");
});

test("work on what a stranger sent has an end, also inside of operators and functions", (t) => {
  const list = Array.from({ length: 2000 }, (_, index) => index);
  for (const text of [
    "[for a in payload: a in payload]",
    "[for a in payload: payload == payload]",
    "[for a in payload: length(sort(payload))]",
  ]) {
    t.like(expressionOf(text).evaluate({ payload: list }), { kind: "failed" }, text);
    t.is(expressionOf(text).evaluate({ payload: list.slice(0, 100) }).kind, "value", text);
  }
});

test("what a stranger nests too deeply is a failure, not a crash", (t) => {
  const payload: unknown = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
  const twice = {
    payload,
    header: {},
    method: "",
    tags: [JSON.parse(JSON.stringify("x"))],
    size: 0,
    user: {},
  };
  for (const text of [
    "json_encode(payload)",
    "payload",
    "payload == [payload]",
    "lower(payload)",
  ]) {
    t.true(["failed", "value"].includes(expressionOf(text).evaluate(twice).kind), text);
    t.notThrows(() => expressionOf(text).explain(twice), text);
  }
});

test("strings made of what a stranger sent have an end", (t) => {
  const payload = Array.from({ length: 2000 }, () => "x".repeat(1000));
  t.is(expressionOf("join(payload)").evaluate({ payload }).kind, "failed");
  t.is(expressionOf('"${payload[0]}"').evaluate({ payload }).kind, "value");
});

test("an explanation shows every part that was looked at, and none that was not", (t) => {
  const expression = expressionOf('payload.ref == "x" && payload.count > 1 || method == "POST"');
  t.deepEqual(expression.explain(event), {
    text: 'payload.ref == "x" && payload.count > 1 || method == "POST"',
    outcome: "true",
    parts: [
      {
        text: 'payload.ref == "x" && payload.count > 1',
        outcome: "false",
        parts: [
          {
            text: 'payload.ref == "x"',
            outcome: "false",
            parts: [{ text: "payload.ref", outcome: '"refs/heads/main"', parts: [] }],
          },
        ],
      },
      {
        text: 'method == "POST"',
        outcome: "true",
        parts: [{ text: "method", outcome: '"POST"', parts: [] }],
      },
    ],
  });
});

test("an explanation shows what is missing and what failed", (t) => {
  const { parts } = expressionOf("payload.a == 1 && lower(payload.count) == payload.b").explain(
    event,
  );
  t.deepEqual(
    parts.map(({ outcome }) => outcome),
    ["missing", "error: `lower` wants a string, not a number"],
  );
});

test("an expression survives crossing a border: it gives the same for every request", (t) => {
  const texts = [
    "payload.commits[*].author.name",
    "[for c in payload.commits if length(c.files) > 0: { id = c.id }]",
    'payload.ref =~ re"^refs/(heads)/"i && size > 1KiB',
    '"${size} ${payload.ref ?? "x"}"',
    "payload.nothing ?? try(payload.ref.x, [1, { a = null }])",
    'header["X-Env"] == "prod" ? 1m : 30s',
  ];
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...texts), json, (text, payload) => {
      const there = expressionOf(text);
      const back = decodeValue(JSON.parse(JSON.stringify(encodeValue(there)))) as RunTimeExpression;
      for (const scope of [event, { ...event, payload }]) {
        t.deepEqual(back.evaluate(scope), there.evaluate(scope));
      }
    }),
    { numRuns: runs(40, 200) },
  );
});

test("no request makes an evaluation throw", (t) => {
  const texts = [
    "payload.a.b[0][*].c.d",
    "payload.a + payload.b * payload.c",
    'payload.a == payload.b && payload.c in payload.d || "${payload.e}" =~ re"x"',
    "[for x in payload if x.a > 1: lower(x.b)]",
    "sort(payload.a) == distinct(payload.b)",
    "length(payload) + min(payload.a)",
    "json_encode(payload)",
    "-payload.a < abs(payload.b)",
    "merge(payload, payload.a)[payload.b]",
    'format("%s %d %j", payload.a, payload.b, payload)',
  ];
  const keys = fc.dictionary(
    fc.constantFrom("a", "b", "c", "d", "e"),
    fc.jsonValue({ maxDepth: 3 }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.oneof(keys, fc.array(keys), fc.jsonValue()),
      (text, payload) => {
        const { kind } = expressionOf(text).evaluate({ ...event, payload });
        return ["value", "missing", "failed"].includes(kind);
      },
    ),
    { numRuns: runs(100, 1000) },
  );
  t.pass();
});
