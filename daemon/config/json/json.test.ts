import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "@humanwhocodes/momoa";
import { Ajv2020 } from "ajv/dist/2020.js";
import test from "ava";
import fc from "fast-check";
import { atOnce } from "../../../grammar/reading/read-file.js";
import { runs } from "../../../tests/support/runs.js";
import { jsonSchemaOf } from "../schema/json-schema.js";
import { catalog } from "../testing/catalog.js";
import { loadFiles, programOf } from "../testing/load-files.js";
import { outlineOf } from "../testing/outline.js";
import { parseJsonInParts } from "./parts.js";
import { toReeveText } from "./print.js";
import { readJsonInParts, readJsonSource } from "./read.js";
import { toJsonText } from "./write.js";

const source = (text: string, path = "main.reeve") => ({ path, text });

function jsonOf(text: string): string {
  const written = toJsonText(source(text));
  if ("text" in written) return written.text;
  throw new Error(written.diagnostics[0]?.message);
}

function reeveOf(text: string): string {
  const printed = toReeveText(source(text, "main.reeve.json"));
  if ("text" in printed) return printed.text;
  throw new Error(printed.diagnostics[0]?.message);
}

const sound = globSync("daemon/config/cases/*.reeve")
  .map((path) => [basename(path, ".reeve"), readFileSync(path, "utf8")] as const)
  .filter(([, text]) => !/^----+ \S/m.test(text))
  .filter(([, text]) => !/^(error|warning)\[/m.test(text))
  .map(([name, text]) => [name, text.split(/^----/m)[0] ?? ""] as const);

test("there are cases to convert", (t) => {
  t.true(sound.length >= 8);
});

for (const [name, text] of sound) {
  test(`${name}: the JSON equivalent means the same, and back`, async (t) => {
    const expected = outlineOf(await programOf(text));
    const json = jsonOf(text);
    const imported = { "main.reeve": 'import "./main.reeve.json"\n', "main.reeve.json": json };
    t.is(normal(outlineOf(await programOf(imported))), normal(expected));
    t.is(normal(outlineOf(await programOf(reeveOf(json)))), normal(expected));
    const again = { ...imported, "main.reeve.json": jsonOf(reeveOf(json)) };
    t.is(normal(outlineOf(await programOf(again))), normal(expected));
  });
}

/** Expressions are shown as they are written; only their layout may differ. */
const normal = (outline: string): string =>
  outline
    .split("\n")
    .map((line) => line.replace(/\s+/g, ""))
    .sort()
    .join("\n");

test("a JSON file can be the root file", async (t) => {
  const text =
    '{ "sandbox": { "$block": ["a"], "$doc": "About a.", "memory": { "$expr": "1GiB" } } }';
  const imported = { "main.reeve": 'import "./a.reeve.json"\n', "a.reeve.json": text };
  const { program } = await loadFiles(imported);
  t.is(program?.blocks.get("sandbox.a")?.doc, "About a.");
});

test("a place inside of an escaped expression is the place in the file", (t) => {
  const text = '{ "$let": { "a": { "$expr": "[\\"\\\\n\\", \\u0022b\\", nope]" } } }';
  const { tree } = readJsonSource(source(text));
  const item = tree.items[0];
  const list = item?.kind === "let" && item.value.kind === "list" ? item.value.items : [];
  t.deepEqual(
    list.map(({ start, end }) => text.slice(start, end)),
    ['\\"\\\\n\\"', '\\u0022b\\"', "nope"],
  );
});

test("a syntax error inside of an expression has its caret there", (t) => {
  const text = '{ "$let": { "a": { "$expr": "\\"x\\" + )" } } }';
  const { diagnostics } = readJsonSource(source(text));
  t.is(diagnostics.length, 1);
  t.true((diagnostics[0]?.location?.start ?? 0) >= text.indexOf("+"));
});

const wrong = test.macro<[string, string]>({
  exec: (t, text, caret) => {
    const { diagnostics } = readJsonSource(source(text));
    t.deepEqual(
      diagnostics.map(({ code }) => code),
      ["E511"],
    );
    const { start = 0, end = 0 } = diagnostics[0]?.location ?? {};
    t.is(text.slice(start, end), caret);
  },
  title: (_, text) => `${text.slice(0, 60)} is refused at the right place`,
});
test(wrong, "", "");
test(wrong, "[]", "[]");
test(wrong, "{", "{");
test(wrong, '{ "a": }', "}");
test(wrong, '{ "a": 1 "b"', '"');
test(wrong, '{ "a": [1, 2}', "}");
test(wrong, '{ "a": ], "b": { "c": -', "]");
test(wrong, '{ "a": bad, "b": { "c": t', "b");
test(wrong, '{ "a": 01 }', "0");
test(wrong, "{ // c\n}", "/");
test(wrong, '{ "timeout": 5 }', '"timeout"');
test(wrong, '{ "$lte": {} }', '"$lte"');
test(wrong, '{ "$let": 5 }', "5");
test(wrong, '{ "$import": 5 }', "5");
test(wrong, '{ "$for": { "each": "x" } }', '{ "each": "x" }');
test(wrong, '{ "$if": [] , "$use": 5 }', "5");
test(wrong, '{ "a-b": { "$block": [] } }', '"a-b"');
test(wrong, '{ "a.b.c": { "$block": [] } }', '"a.b.c"');
test(wrong, '{ "a": { "$block": "x" } }', '"x"');
test(wrong, '{ "a": { "$block": [5] } }', "[5]");
test(wrong, '{ "a": { "$block": [], "b-c": 1 } }', '"b-c"');
test(wrong, '{ "a": { "$block": [], "b": { "$exp": "1" } } }', '"$exp"');
test(wrong, '{ "a": { "$block": [], "b": { "$expr": "1", "c": 2 } } }', '"$expr"');
test(wrong, `{ "a": ${"[".repeat(100_000)}`, "[");

test("a text that ends too early is refused at the innermost bracket that is open", (t) => {
  const whole = '{ "a": [{ "b": ["[", -1.5e1, true] }, null], "c": "\\" \\u00e9" }';
  for (let end = 1; end < whole.length; end += 1) {
    const text = whole.slice(0, end);
    const { diagnostics } = readJsonSource(source(text));
    t.is(diagnostics.length, 1, text);
    const [{ message = "", location = undefined } = {}] = diagnostics;
    const { start = 0 } = location ?? {};
    t.is(message, `this is not JSON: \`${text[start]}\` is never closed`, text);
    // Outside of the string that is a bracket.
    const open = text.replace('"[', '".').slice(start + 1);
    const count = (bracket: RegExp) => open.match(bracket)?.length ?? 0;
    t.is(count(/[[{]/g), count(/[\]}]/g), text);
  }
});

test("a long string that is not closed is read once", (t) => {
  for (const text of ['"', '{ "a": "', '{ "a": { "b": ["'].map(
    (start) => start + '\\"'.repeat(500_000),
  )) {
    const { diagnostics } = readJsonSource(source(text));
    t.deepEqual(
      diagnostics.map(({ code }) => code),
      ["E511"],
    );
  }
});

test("a large file is read in parts, to the nodes that the parser gives at once", (t) => {
  const blank = fc.constantFrom("", " ", "\n\t", "\r\n  ");
  const json = fc.record({ value: fc.jsonValue({ maxDepth: 5 }), blank, indent: fc.nat(3) });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), blank, (members, outer) => {
      const text = `${outer}{${Object.entries(members)
        .map(([name, { value, blank, indent }]) => {
          const written = JSON.stringify(value, undefined, indent);
          return `${blank}${JSON.stringify(name)}${blank}:${outer}${written}${blank}`;
        })
        .join(",")}${outer}}${outer}`;
      const expected = parse(text, { mode: "json", ranges: true }).body;
      t.deepEqual(withoutLines(atOnce(parseJsonInParts(text, 64))), withoutLines(expected), text);
    }),
    { numRuns: runs(300, 20_000) },
  );
  const block = { $block: ["x"], run: ["echo", { $expr: "payload.after" }] };
  const text = JSON.stringify({ hook: Array.from({ length: 5_000 }, () => block) });
  t.true([...readJsonInParts(source(text))].length > 10_000);
});

const withoutLines = (node: unknown): unknown =>
  JSON.parse(JSON.stringify(node, (key, value: unknown) => (key === "loc" ? undefined : value)));

test("no text makes reading throw", (t) => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"$expr"',
    '"$block"',
    '"$for"',
    '"a"',
    ":",
    ",",
    '"1 + "',
    "null",
    "5",
    "\\",
    '"',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((parts) => parts.join(" ")),
        fc.json(),
      ),
      (text) => {
        const { tree, diagnostics } = readJsonSource(source(text));
        return tree.kind === "file" && Array.isArray(diagnostics);
      },
    ),
    { numRuns: runs(200, 2000) },
  );
  t.pass();
});

test("what is not fit for JSON is an expression there", (t) => {
  const json = jsonOf(
    'let a = { "$x" = 1 }\nlet b = -5\nlet c = [1, 30s, "x", "${let.b}"]\nlet d = { e = [re"a"] }\n',
  );
  t.deepEqual(JSON.parse(json), {
    $let: {
      a: { $expr: '{ "$x" = 1 }' },
      b: { $expr: "-5" },
      c: [1, { $expr: "30s" }, "x", { $expr: '"${let.b}"' }],
      d: { e: [{ $expr: 're"a"' }] },
    },
  });
});

test("text that cannot be read is not converted", (t) => {
  t.true("diagnostics" in toJsonText(source("sandbox {")));
  t.true("diagnostics" in toReeveText(source("{", "x.reeve.json")));
});

test("the JSON Schema accepts what the pipeline accepts, and refuses what has no place", async (t) => {
  const { plugins } = await catalog.bind([{ name: "acme" } as never], "/");
  const validate = new Ajv2020({ strict: false }).compile(jsonSchemaOf(plugins));
  for (const [name, text] of sound) {
    t.true(validate(JSON.parse(jsonOf(text))), `${name}: ${JSON.stringify(validate.errors)}`);
  }
  const refused: readonly object[] = [
    { sandbox: { memory: { $expr: "1GiB" } } },
    { sandbox: { $block: ["a"], memory: "1GiB" } },
    { sandbox: { $block: ["a"], memroy: { $expr: "1GiB" } } },
    { sandbox: { $block: [], memory: { $expr: "1GiB" } } },
    { sandbox: { $block: ["a"], allow: "x" } },
    { sandbox: { $block: ["a"], engine: "dokcer" } },
    { hook: { $block: ["a"], concurrency: 0 } },
    { hook: { $block: ["a"], concurrency: 1.5 } },
    { hook: { $block: ["a"], verify: { $block: ["hmca"] } } },
    { hook: { $block: ["a"], path: "no-slash" } },
    { nonsense: { $block: [] } },
    { $if: { test: true } },
  ];
  for (const json of refused) t.false(validate(json), JSON.stringify(json));
});
