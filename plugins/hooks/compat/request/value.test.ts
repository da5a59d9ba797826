/** Spec: "Value → string" and "Compact JSON". */
import test from "ava";
import { parseJson } from "./json.js";
import { type FieldValue, textOf } from "./value.js";

const rows: ReadonlyArray<readonly [json: string, text: string]> = [
  ['"as is"', "as is"],
  ["1.0", "1.0"],
  ["2.50", "2.50"],
  ["1e400", "1e400"],
  ["12345678901234567890", "12345678901234567890"],
  ["true", "true"],
  ["false", "false"],
  ["null", "<nil>"],
  ['{"b": 1.0, "a": [1, {"d": null, "c": "x"}]}', '{"a":[1,{"c":"x","d":null}],"b":1.0}'],
  ['["<>&\\u2028\\u2029"]', '["\\u003c\\u003e\\u0026\\u2028\\u2029"]'],
  ['["é\\u0001\\n\\"\\\\"]', '["é\\u0001\\n\\"\\\\"]'],
  ['["\\ud800"]', '["\ufffd"]'],
  ['{"\\uffff": 1, "\\ud83d\\ude00": 2}', '{"\uffff":1,"😀":2}'],
];

for (const [json, text] of rows) {
  test(`${json} is given to a command as ${text}`, (t) => {
    const reading = parseJson(`{"x": ${json}}`);
    t.true(reading.ok);
    if (reading.ok) t.is(textOf(reading.value.x as FieldValue), text);
  });
}
