/** The messages of Go's `encoding/json`, as Debian's webhook writes them. */
import test from "ava";
import fc from "fast-check";
import { parseJson } from "./json.js";
import { jsonFault } from "./json-fault.js";

const rows: ReadonlyArray<readonly [text: string, fault: string | undefined]> = [
  ["{}", undefined],
  ["null", undefined],
  ["", "EOF"],
  [" \n", "EOF"],
  ['{"a":', "unexpected EOF"],
  ["nope", "invalid character 'o' in literal null (expecting 'u')"],
  ["x", "invalid character 'x' looking for beginning of value"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['{"a":[1 2]}', "invalid character '2' after array element"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
  ['{"a":"\\u00g0"}', "invalid character 'g' in \\u hexadecimal character escape"],
  ['{"a":-x}', "invalid character 'x' in numeric literal"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
  ['"x"', "json: cannot unmarshal string into Go value of type map[string]interface {}"],
  ["1", "json: cannot unmarshal number into Go value of type map[string]interface {}"],
  ["true", "json: cannot unmarshal bool into Go value of type map[string]interface {}"],
  ["[1]", "json: cannot unmarshal array into Go value of type map[string]interface {}"],
];
for (const [text, fault] of rows) {
  test(`the fault of ${JSON.stringify(text)}`, (t) => t.is(jsonFault(text), fault));
}

test("a long string that is not closed is read once", (t) => {
  const text = `{"a":"${'\\"'.repeat(500_000)}`;
  t.deepEqual(parseJson(text, true), { ok: false, message: "unexpected EOF" });
});

test("every text has a fault or can be parsed", (t) => {
  const texts = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(40), fc.string({ maxLength: 2 }))
    .map(([json, at, noise]) => json.slice(0, at) + noise + json.slice(at));
  fc.assert(
    fc.property(fc.oneof(texts, fc.string()), (text) => {
      const isList = /^\s*\[/.test(text);
      const isNull = /^\s*null/.test(text);
      return parseJson(text, true).ok || isNull || jsonFault(text, isList) !== undefined;
    }),
  );
  t.pass();
});
