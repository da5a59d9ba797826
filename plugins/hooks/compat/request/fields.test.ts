/** Spec §2: "Headers" and "Query". */
import test from "ava";
import { canonicalName, formValues, headerValues, queryValues } from "./fields.js";

const names: ReadonlyArray<readonly [string, string]> = [
  ["x-github-event", "X-Github-Event"],
  ["X-GITHUB-EVENT", "X-Github-Event"],
  ["x_under", "X_under"],
  ["ETag", "Etag"],
  ["with blank", "with blank"],
];
for (const [name, canonical] of names) {
  test(`the header ${name} is stored as ${canonical}`, (t) => t.is(canonicalName(name), canonical));
}

test("of repeated headers the first counts, and the connection's own are absent", (t) => {
  const raw = [
    "Host",
    "x",
    "Transfer-Encoding",
    "chunked",
    "a",
    "1",
    "A",
    "2",
    "Connection",
    "close",
  ];
  t.deepEqual({ ...headerValues(raw) }, { A: "1", Connection: "close" });
});

const queries: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
  ["a=1&b=2", { a: "1", b: "2" }],
  ["a=1&a=2", { a: "1" }],
  ["a=1;b=2&c=3", { c: "3" }],
  ["a=%zz&b=2", { b: "2" }],
  ["a=x+y%20z", { a: "x y z" }],
  ["a&b=", { a: "", b: "" }],
  ["a=%C3%A9%ff", { a: "é\ufffd" }],
  ["__proto__=1", Object.fromEntries([["__proto__", "1"]])],
];
for (const [query, values] of queries) {
  test(`the query ${query}`, (t) =>
    t.deepEqual(Object.entries(queryValues(query)), Object.entries(values)));
}

test("one bad escape or one `;` fails a whole form", (t) => {
  t.deepEqual(formValues("a=1&b=%zz"), { ok: false, message: 'invalid URL escape "%zz"' });
  t.deepEqual(formValues("a=%2"), { ok: false, message: 'invalid URL escape "%2"' });
  t.deepEqual(formValues("a=1;b=2"), {
    ok: false,
    message: "invalid semicolon separator in query",
  });
  const reading = formValues("a=1&a=2");
  t.deepEqual(reading.ok && { ...reading.value }, { a: "1" });
});
