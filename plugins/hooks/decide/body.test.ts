import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../tests/support/text.js";
import { readBody } from "./body.js";
import { MAX_FIELDS, readForm } from "./form.js";
import type { Parse } from "./media.js";

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
  [
    "application/xml",
    '<a b="1"><c>x</c><c/></a>',
    "auto",
    { payload: { a: { "-b": "1", c: ["x", ""] } } },
  ],
  ["text/xml", "<a/>", "auto", { payload: { a: "" } }],
  ["application/atom+xml", "<a>1</a>", "auto", { payload: { a: "1" } }],
  ["application/xml", "<a>", "auto", 400],
  ["application/xml", "", "auto", 400],
  ["application/xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "auto", 400],
  ["application/xml; charset=utf-16", "<a/>", "auto", 415],
  ["text/plain", "<a>1</a>", "xml", { payload: { a: "1" } }],
  ["application/x-protobuf", "x", "auto", 415],
  ["multipart/mixed; boundary=x", "--x", "auto", 415],
  ["multipart/form-data; boundary=json", "--json", "auto", 400],
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

test("what is wrong with XML has a place", (t) => {
  const reading = readBody(
    { "content-type": "application/xml" },
    Buffer.from("<a>\n<b></a>"),
    "auto",
  );
  t.is(reading.ok ? "" : reading.refusal.detail, "The body is not valid XML at line 2, column 7.");
});

test("XML as the page shows it", (t) => {
  const sent =
    '<g:push xmlns:g="urn:x" id="7"><ref>main</ref><tag>a</tag><tag>b</tag> told </g:push>';
  const reading = readBody({}, Buffer.from(sent), "xml");
  t.is(
    JSON.stringify(reading.ok && reading.payload),
    '{"push":{"-id":"7","ref":"main","tag":["a","b"],"#text":"told"}}',
  );
});

test("many elements of one name take no more time than they are long", (t) => {
  const reading = readBody({}, Buffer.from(`<a>${"<b/>".repeat(200_000)}</a>`), "xml");
  const { a } = (reading.ok ? reading.payload : {}) as { a?: { b?: readonly string[] } };
  t.is(a?.b?.length, 200_000);
});

test("a form with files has both, apart", (t) => {
  const part = (head: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const typed = (head: string, type: string, content: string) =>
    part(`${head}\r\nContent-Type: ${type}`, content);
  const body = [
    part('name="ref"', "main"),
    part('name="ref"', "second"),
    typed('name="event"', "application/json", '{"id":12345678901234567890}'),
    typed('name="log"; filename="../../etc/build.log"', "text/plain", "line 1\n"),
    part('name="ref"; filename=""', "empty name"),
    part('name="__proto__"; filename="x"', "x"),
    "--x--\r\n",
  ].join("");
  const type = "multipart/form-data; boundary=x";
  const reading = readBody({ "content-type": type }, Buffer.from(body), "auto");
  t.deepEqual(JSON.parse(JSON.stringify(reading.ok && [reading.payload, reading.files])), [
    { ref: "main", event: { id: "12345678901234567890" } },
    {
      log: {
        ...{ name: "build.log", type: "text/plain", size: 7, text: "line 1\n" },
        base64: Buffer.from("line 1\n").toString("base64"),
      },
      ref: { name: "", type: "", size: 10, text: "empty name", base64: "ZW1wdHkgbmFtZQ==" },
      ["__proto__"]: { name: "x", type: "", size: 1, text: "x", base64: "eA==" },
    },
  ]);
});

for (const [what, body] of [
  ["no end", "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"],
  ["a header that is none", "--x\r\nnonsense\r\n\r\n1\r\n--x--"],
  [
    "JSON that is none",
    "--x\r\nContent-Disposition: form-data; name=a\r\nContent-Type: application/json\r\n\r\n{\r\n--x--",
  ],
  [
    "a field that is not UTF-8",
    "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\xff\r\n--x--",
  ],
] as const) {
  test(`a form in parts with ${what} is refused`, (t) => {
    const type = "multipart/form-data; boundary=x";
    const reading = readBody({ "content-type": type }, Buffer.from(body, "latin1"), "auto");
    t.is(reading.ok ? 200 : reading.refusal.status, 400);
  });
}

test("whatever comes in whatever form, it is read or refused, and nothing throws", (t) => {
  const type = fc.constantFrom(
    "application/xml",
    "multipart/form-data; boundary=x",
    'multipart/form-data; boundary="a b"',
    "application/json",
    "application/x-www-form-urlencoded",
  );
  const piece = fc.constantFrom(
    ...[
      "<a>",
      "</a>",
      "<![CDATA[",
      "]]>",
      "<!--",
      "&#0;",
      "&lt;",
      "<?x",
      "--x",
      "--x--",
      "\r\n",
      "\n",
    ],
    ...[
      "Content-Disposition: form-data; name=",
      '"a"',
      "; filename=",
      "__proto__",
      "\0",
      "\xff",
      "=",
      "&",
    ],
  );
  const body = fc.oneof(
    fc.array(piece).map((all) => all.join("")),
    anyText(),
  );
  const coding = fc.constantFrom("", "", "gzip", "deflate", "br", "identity", "zstd", "__proto__");
  fc.assert(
    fc.property(type, body, coding, (type, text, coding) => {
      const headers = { "content-type": type, "content-encoding": coding };
      const reading = readBody(headers, Buffer.from(text, "latin1"), "auto", 1000);
      return reading.ok || [400, 413, 415].includes(reading.refusal.status);
    }),
    { numRuns: 2000 },
  );
  t.is(({} as { a?: unknown }).a, undefined);
});

test("the first of several fields with the same name counts", (t) => {
  const reading = readForm("a=1&a=2&&b");
  t.deepEqual(reading.ok && { ...reading.value }, { a: "1", b: "" });
});

test("a form has only the names that were sent", (t) => {
  const reading = readForm("__proto__=x");
  t.true(reading.ok);
  t.deepEqual(reading.ok && Object.keys(reading.value), ["__proto__"]);
  t.is(reading.ok && "toString" in reading.value, false);
});

test("a form with too many fields is refused", (t) => {
  t.true(readForm(Array(MAX_FIELDS).fill("a=1").join("&")).ok);
  t.false(readForm("a&".repeat(100_000)).ok);
});
