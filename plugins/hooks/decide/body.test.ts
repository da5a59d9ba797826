import test from "ava";
import { type Parse, readBody } from "./body.js";
import { MAX_FIELDS, readForm } from "./form.js";

const read = (type: string | undefined, body: string | Uint8Array, parse: Parse = "auto") => {
  const reading = readBody(
    type === undefined ? {} : { "content-type": type },
    typeof body === "string" ? Buffer.from(body) : body,
    parse,
  );
  if (!reading.ok) return reading.refusal.status;
  return "payload" in reading ? { payload: reading.payload } : { text: reading.text };
};

const json = '{"a":1}';
const cases: ReadonlyArray<
  readonly [type: string | undefined, body: string, parse: Parse, outcome: unknown]
> = [
  ["application/json", json, "auto", { payload: { a: 1 } }],
  ["Application/JSON; charset=UTF-8", json, "auto", { payload: { a: 1 } }],
  ["application/cloudevents+json", json, "auto", { payload: { a: 1 } }],
  ["application/json; charset=iso-8859-1", json, "auto", 415],
  ["application/x-www-form-urlencoded", "a=1&b=x+y%21", "auto", { payload: { a: "1", b: "x y!" } }],
  ["text/plain", "hello", "auto", { text: "hello" }],
  ["application/octet-stream", "hello", "auto", { text: "hello" }],
  [undefined, "hello", "auto", { text: "hello" }],
  [undefined, "", "auto", { text: "" }],
  ["application/json", "", "auto", 400],
  ["application/json", "{", "auto", 400],
  ["application/x-www-form-urlencoded", "a=%zz", "auto", 400],
  ["application/xml", "<a/>", "auto", 415],
  ["text/xml", "<a/>", "auto", 415],
  ["multipart/form-data; boundary=json", "--json", "auto", 415],
  ["multipart/form-data; boundary=json", "", "auto", { text: "" }],
  ["text/plain", json, "json", { payload: { a: 1 } }],
  ["application/json", "a=1", "form", { payload: { a: "1" } }],
  ["application/json", json, "none", { text: json }],
];
for (const [type, body, parse, outcome] of cases) {
  const expected = typeof outcome === "number" ? `refused with ${outcome}` : "read";
  test(`${JSON.stringify(body)} as ${type ?? "no type"}, parse ${parse}: ${expected}`, (t) => {
    const result = read(type, body, parse);
    t.is(JSON.stringify(result), JSON.stringify(outcome));
  });
}

test("what is not UTF-8 has no text, and no payload", (t) => {
  const bytes = Uint8Array.from([0x22, 0xff, 0x22]);
  t.is(read("application/json", bytes), 400);
  t.deepEqual(read("text/plain", bytes), { text: undefined });
});

test("a compressed body is refused, whatever is in it", (t) => {
  const reading = readBody({ "content-encoding": "gzip" }, Buffer.from(json), "json");
  t.is(reading.ok ? 200 : reading.refusal.status, 415);
});

test("the first of several fields with the same name counts", (t) => {
  const reading = readForm("a=1&a=2&&b");
  t.deepEqual(reading.ok && { ...reading.value }, { a: "1", b: "" });
});

test("a form has no names that nobody sent", (t) => {
  const reading = readForm("__proto__=x");
  t.true(reading.ok);
  t.deepEqual(reading.ok && Object.keys(reading.value), ["__proto__"]);
  t.is(reading.ok && "toString" in reading.value, false);
});

test("a form with more fields than anybody needs is refused", (t) => {
  t.true(readForm(Array(MAX_FIELDS).fill("a=1").join("&")).ok);
  t.false(readForm("a&".repeat(100_000)).ok);
});
