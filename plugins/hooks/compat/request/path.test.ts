/** Spec: "Path rules for `name`". */
import test from "ava";
import { parseJson } from "./json.js";
import { lookUp, replaceAt } from "./path.js";
import { compactJson, type FieldValues, textOf } from "./value.js";

const valuesOf = (json: string): FieldValues => {
  const reading = parseJson(json);
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
};

/** `undefined`: missing. `null`: leads into `null`. */
const rows: ReadonlyArray<readonly [json: string, path: string, text: string | undefined | null]> =
  [
    ['{"a":{"b":"x"}}', "a.b", "x"],
    ['{"a.b":1}', "a.b", "1"],
    ['{"a.b":{"c":1}}', "a.b.c", undefined],
    ['{"a":[{"b":"x"}]}', "a.0.b", "x"],
    ['{"a":[1,2]}', "a.00", "1"],
    ['{"a":[1,2]}', "a.-1", undefined],
    ['{"a":[1,2]}', "a.+1", undefined],
    ['{"a":[1,2]}', "a.2", undefined],
    ['{"a":1}', "a.b", undefined],
    ['{"a":null}', "a.b", null],
    ['{"a":null}', "a", "<nil>"],
    ['[{"event":"x"}]', "root.0.event", "x"],
    ['{"alerts":[{"status":"firing"}]}', "alerts.0.status", "firing"],
    ['{"alerts":[{"status":"firing"}]}', "alerts[0].status", "firing"],
    ['{"alerts[0]":{"status":"a key"}}', "alerts[0].status", "a key"],
    ['{"alerts":[{"x":1}]}', "alerts[].x", undefined],
    ['{"alerts":[{"x":1}]}', "alerts.*.x", undefined],
    ['{"a":1}', "constructor", undefined],
    ['{"a":1}', "__proto__", undefined],
    ['{"__proto__":"own"}', "__proto__", "own"],
  ];

for (const [json, path, text] of rows) {
  test(`\`${path}\` in ${json} is ${text === null ? "beyond null" : (text ?? "missing")}`, (t) => {
    const lookup = lookUp(path, valuesOf(json));
    if (lookup.found) t.is(textOf(lookup.value), text as string);
    else t.is(lookup.nothing ? null : undefined, text as undefined);
  });
}

const replacements: ReadonlyArray<readonly [json: string, path: string, result: string]> = [
  ['{"a":"old","b":1}', "a", '{"a":{"n":1},"b":1}'],
  ['{"a":{"b":"old"}}', "a.b", '{"a":{"b":{"n":1}}}'],
  ['{"a.b":"old"}', "a.b", '{"a.b":{"n":1}}'],
  ['{"a":["x","old"]}', "a.1", '{"a":["x",{"n":1}]}'],
  ['{"a":["x","old"]}', "a[1]", '{"a":["x",{"n":1}]}'],
];
for (const [json, path, result] of replacements) {
  test(`a value put back at \`${path}\` of ${json}`, (t) => {
    t.is(compactJson(replaceAt(path, valuesOf(json), valuesOf('{"n":1}'))), result);
  });
}
