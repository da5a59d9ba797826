/** Spec §2, "Body parsing": the row of `xml`. */
import test from "ava";
import { compactJson } from "./value.js";
import { parseXml } from "./xml.js";

const rows: ReadonlyArray<readonly [what: string, xml: string, json: string]> = [
  ["plain text", "<a>x</a>", '{"a":"x"}'],
  ["an attribute", '<a b="1"/>', '{"a":{"-b":"1"}}'],
  ["text beside an attribute", '<a b="1">x</a>', '{"a":{"#text":"x","-b":"1"}}'],
  ["repeated elements", "<a><b>1</b><b>2</b></a>", '{"a":{"b":["1","2"]}}'],
  ["a single element", "<a><b><c>1</c></b></a>", '{"a":{"b":{"c":"1"}}}'],
  ["a namespace prefix", "<s:a><s:b>1</s:b></s:a>", '{"a":{"b":"1"}}'],
  ["CDATA, trimmed", "<a><![CDATA[ x ]]></a>", '{"a":"x"}'],
  [
    "a name of every object",
    "<__proto__><constructor>1</constructor></__proto__>",
    '{"__proto__":{"constructor":"1"}}',
  ],
];
for (const [what, xml, json] of rows) {
  test(what, (t) => {
    const reading = parseXml(xml);
    t.is(reading.ok ? compactJson(reading.value) : reading.message, json);
  });
}

for (const xml of [
  "",
  "<a>",
  "no xml",
  '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><a>&e;</a>',
]) {
  test(`${xml || "nothing"} cannot be parsed`, (t) => t.false(parseXml(xml).ok));
}
test("elements nested without end cannot be parsed", (t) => {
  t.false(parseXml(`${"<a>".repeat(5000)}${"</a>".repeat(5000)}`).ok);
});
