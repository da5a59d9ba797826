/** What is said of a zls.json: every verdict, with what was probably meant. */
import draft04 from "ajv-draft-04";
import test from "ava";
import { openDocument } from "../document.js";
import { lineAndColumn } from "../read/finding.js";
import { loadServers } from "../servers/known.js";
import { serverFrom } from "../servers/server.js";
import { schema } from "../servers/zls/schema.js";
import { zls } from "../servers/zls/zls.js";
import { Checker, compileSchema, nullable } from "./checker.js";

const checker = new Checker(zls);
const check = (text: string) => openDocument("/zls.json", Buffer.from(text), "json", checker);

/** `severity column message [label]` */
const verdicts = (text: string): readonly string[] =>
  check(text).findings.map(({ severity, message, span, label }) => {
    const { column } = lineAndColumn(text, span?.start ?? 0);
    return `${severity} ${column} ${message}${label === undefined ? "" : ` [${label}]`}`;
  });

const says = test.macro({
  exec(t, text: string, expected: readonly string[]) {
    t.deepEqual(verdicts(text), expected);
  },
  title: (_, text: string) => text,
});

test(says, "{}", []);
test(says, '{"warn_style": 1}', [
  "error 16 `warn_style` must be `true` or `false`, not the number 1 [did you mean `true`?]",
]);
test(says, '{"warn_style": "false"}', [
  'error 16 `warn_style` must be `true` or `false`, not the text "false" [did you mean `false`?]',
]);
test(says, '{"warn_style": null}', ["error 16 `warn_style` must be `true` or `false`, not `null`"]);
test(says, '{"semantic_tokens": "ful"}', [
  'error 21 `semantic_tokens` must be "none", "partial" or "full", not the text "ful" [did you mean `"full"`?]',
]);
test(says, '{"semantic_tokens": "FULL"}', [
  'error 21 `semantic_tokens` must be "none", "partial" or "full", not the text "FULL" [did you mean `"full"`?]',
]);
test(says, '{"build_on_save_args": ["-x", 1]}', [
  "error 31 `build_on_save_args[1]` must be text, not the number 1",
]);
test(says, '{"build_on_save_args": "-x"}', [
  'error 24 `build_on_save_args` must be a list, not the text "-x" [did you mean `["-x"]`?]',
]);
test(says, '{"semantic_tokens": 3}', [
  'error 21 `semantic_tokens` must be "none", "partial" or "full", not the number 3',
]);
test(says, '{"frobnicate": 1, "frobnicate": {"a": 1, "a": 2}}', [
  "warning 19 `frobnicate` is set twice",
  "warning 42 `a` is set twice",
  "warning 2 ZLS has no setting `frobnicate` and ignores it",
  "warning 19 ZLS has no setting `frobnicate` and ignores it",
]);
test(says, '{"warn_style": true, "warn_style": true}', ["error 22 `warn_style` is set twice"]);
test(says, "[]", ["error 1 the file must be an object, not a list"]);
test(says, "null", ["error 1 the file must be an object, not `null`"]);
test(says, '{"$schema": "https://example.org/x.json"}', []);
test(says, '{"enable_snipets": true}', [
  "warning 2 ZLS has no setting `enable_snipets` and ignores it [did you mean `enable_snippets`?]",
]);
test(says, '{"enableSnippets": true}', [
  "warning 2 ZLS has no setting `enableSnippets` and ignores it [did you mean `enable_snippets`?]",
]);
test(says, '{"zig.zls.warnStyle": true}', [
  "warning 2 ZLS has no setting `zig.zls.warnStyle` and ignores it [did you mean `warn_style`?]",
]);
test(says, '{"skip_std_refs": true, "frobnicate": 1}', [
  "warning 2 ZLS has no setting `skip_std_refs` and ignores it [did you mean `skip_std_references`?]",
  "warning 25 ZLS has no setting `frobnicate` and ignores it",
]);
test(says, '{"enable_autofix": true}', [
  "warning 2 `enable_autofix` became `force_autofix` in November 2024; code actions on save do the same in most editors; ZLS ignores it [did you mean `force_autofix`?]",
]);
test(says, '{"operator_completions": true}', [
  "warning 2 `operator_completions` was removed in October 2023; ZLS ignores it",
]);
test(says, '{"__proto__": {"warn_style": true}, "constructor": 1}', [
  "warning 2 ZLS has no setting `__proto__` and ignores it",
  "warning 37 ZLS has no setting `constructor` and ignores it",
]);

for (const [slip, meant] of [
  ["zig_path", "zig_exe_path"],
  ["zig_exe", "zig_exe_path"],
  ["build_on_save", "enable_build_on_save"],
  ["semantictokens", "semantic_tokens"],
  ["inlay-hints-show-builtin", "inlay_hints_show_builtin"],
  ["warn_sytle", "warn_style"],
] as const) {
  test(`${slip} is understood as ${meant}`, (t) => {
    t.is(checker.unknownKey(slip).meant, meant);
  });
}

test("the exported schema accepts what the check accepts", (t) => {
  const exported = new draft04.default({ strict: false }).compile(nullable(schema));
  for (const [key, { type }] of Object.entries(schema.properties ?? {})) {
    for (const value of [null, true, "full", ["-x"], 1]) {
      const file = { [key]: value };
      t.is(exported(file), check(JSON.stringify(file)).values !== undefined, `${key}: ${type}`);
    }
  }
});

test("a key given twice that the server ignores does not freeze the file", (t) => {
  t.deepEqual(check('{"warn_style": true, "x": 1, "x": 2}').values, { warn_style: true });
  t.is(check('{"warn_style": true, "warn_style": true}').values, undefined);
});

/** A schema with alternatives, as many servers have them. */
const alternatives = new Checker(
  serverFrom("own", {
    properties: {
      level: { anyOf: [{ type: "boolean" }, { enum: ["low", "high"] }] },
      run: {
        oneOf: [{ type: "string" }, { type: "object", properties: { n: { type: "number" } } }],
      },
      list: { type: "array", items: { type: ["string", "null"], enum: ["a", "b", null] } },
      size: { type: "string", minLength: 3, pattern: "^x" },
      both: { oneOf: [{ type: "number" }, { minimum: 0 }] },
    },
  }),
);

for (const [text, ...expected] of [
  ['{"level": 3}', '`level` must be `true` or `false`, "low" or "high", not the number 3'],
  ['{"level": "hihg"}', '`level` must be `true` or `false`, "low" or "high", not the text "hihg"'],
  ['{"run": 3}', "`run` must be text or an object, not the number 3"],
  ['{"run": {"n": "1"}}', '`run.n` must be a number, not the text "1"'],
  ['{"list": [1]}', '`list[0]` must be "a", "b" or null, not the number 1'],
  [
    '{"size": "y"}',
    "`size` must NOT have fewer than 3 characters",
    '`size` must match pattern "^x"',
  ],
  ['{"both": 1}', "`both` must match exactly one schema in oneOf"],
] as const) {
  test(`one fault is one error: ${text}`, (t) => {
    const { findings } = openDocument("/own.json", Buffer.from(text), "json", alternatives);
    t.deepEqual(
      findings.map(({ message }) => message),
      expected,
    );
  });
}

test("objects in objects set the keys that the schema lists with dots", (t) => {
  const own = serverFrom("own", {
    properties: { "check.level": { type: "number" }, "check.on": { type: "boolean" } },
  });
  const read = (text: string) => openDocument("/x", Buffer.from(text), "json", new Checker(own));
  t.deepEqual(read('{"check": {"level": 1}, "check.on": true}').values, {
    "check.level": 1,
    "check.on": true,
  });
  const { findings } = read('{"check": {"levl": 1, "on": 2}}');
  t.deepEqual(
    findings.map(({ message, span }) => [span?.start, message]),
    [
      [11, "own has no setting `check.levl` and ignores it"],
      [28, "`check.on` must be `true` or `false`, not the number 2"],
    ],
  );
});

for (const [isPartial, severity] of [
  [true, "warning"],
  [undefined, "error"],
] as const) {
  test(`an unknown key inside a value is ${severity === "error" ? "an error" : "a warning where the server may be newer"}`, (t) => {
    const rules = {
      type: "object",
      additionalProperties: false,
      properties: { reportMissing: { type: "string" } },
    };
    const own = {
      ...serverFrom("own", { properties: { "check.rules": rules } }),
      ...(isPartial && { isPartial }),
    };
    const checker = new Checker(own);
    const text = '{"check": {"rules": {"reportMising": "x", "other": 1}}}';
    const { findings, values } = openDocument("/x", Buffer.from(text), "json", checker);
    t.deepEqual(
      findings.map((each) => [each.severity, each.span?.start, each.message, each.replacement]),
      [
        [severity, 21, "there is no setting `check.rules.reportMising`", '"reportMissing"'],
        [severity, 42, "there is no setting `check.rules.other`", undefined],
      ],
    );
    t.is(values !== undefined, severity === "warning");
    t.is(checker.refusal("check.rules", { other: 1 }) === undefined, severity === "warning");
  });
}

test("a key that a partial schema lacks is reported and delivered", (t) => {
  const own = { ...serverFrom("own", { properties: { level: {} } }), isPartial: true as const };
  const text = '{"level": 1, "levle": 2}';
  const { findings, values } = openDocument("/x", Buffer.from(text), "json", new Checker(own));
  t.deepEqual(values, { level: 1, levle: 2 });
  t.deepEqual(
    findings.map(({ severity, message, replacement }) => [severity, message, replacement]),
    [["warning", "Reeve knows no setting `levle` of own", '"level"']],
  );
});

test("null is accepted exactly where the default is null", (t) => {
  const properties = Object.entries(schema.properties ?? {});
  t.is(properties.length, 23);
  for (const [key, { default: byDefault }] of properties) {
    t.is(check(JSON.stringify({ [key]: null })).values !== undefined, byDefault === null, key);
  }
});

test("the built-in schemas are valid", async (t) => {
  for (const { schema } of await loadServers()) t.notThrows(() => compileSchema(schema));
  t.throws(() => compileSchema({ ...zls.schema, properties: { a: { type: "flag" } } }));
});

test("the schema's own defaults pass", (t) => {
  const defaults = Object.entries(schema.properties ?? {}).map(([key, each]) => [
    key,
    each.default,
  ]);
  t.deepEqual(check(JSON.stringify(Object.fromEntries(defaults))).findings, []);
});

test("a file with an error sets nothing; one with warnings sets what is known", (t) => {
  t.is(check('{"warn_style": true, "force_autofix": 1}').values, undefined);
  t.deepEqual(check('{"warn_style": true, "frobnicate": 1}').values, { warn_style: true });
});

for (const $schema of [
  "http://json-schema.org/draft-04/schema",
  "http://json-schema.org/draft-04/schema#",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2020-12/schema",
  undefined,
]) {
  test(`a schema of ${$schema ?? "no stated draft"} checks`, (t) => {
    const own = serverFrom("own", {
      ...($schema === undefined ? {} : { $schema }),
      type: "object",
      additionalProperties: false,
      properties: { level: { type: "integer", minimum: 1 } },
    });
    const { findings } = openDocument(
      "/own.json",
      Buffer.from('{"level": 0, "levle": 1}'),
      "json",
      new Checker(own),
    );
    t.deepEqual(
      findings.map(({ severity, code, message }) => [severity, code, message]),
      [
        ["error", "value", "`level` must be >= 1"],
        ["error", "unknown_key", "own has no setting `levle` and ignores it"],
      ],
    );
  });
}
