/** Corners of types that the case files do not have. */
import test from "ava";
import { type BlockSchema, c } from "../../plugin-api/block.js";
import type { Secret } from "../../plugin-api/values.js";
import { load } from "../load.js";
import type { Loaded } from "../program.js";
import { MAIN, memoryDisk } from "../testing/memory-disk.js";
import { describe } from "../testing/plugins.js";

const one = c.scope("request", { payload: c.any() });
const other = c.scope("event", { change: c.any() });

/** Loads a `thing` block of this schema. */
function loadThing(schema: BlockSchema, body: string, root = MAIN): Promise<Loaded> {
  const description = describe("things", { thing: schema });
  const plugin = {
    description,
    namespace: undefined,
    validate: async () => [],
    call: async () => null,
  };
  const catalog = { bind: async () => ({ plugins: [plugin], diagnostics: [] }) };
  const text = root.endsWith(".json") ? body : `thing {\n${body}\n}\n`;
  const disk = memoryDisk({ [root.slice(root.lastIndexOf("/") + 1)]: text });
  return load(root, { catalog, environment: {}, ...disk });
}

const messages = ({ diagnostics }: Loaded) =>
  diagnostics.map(({ code, message }) => `${code} ${message}`);
const valuesOf = ({ program, diagnostics }: Loaded): Readonly<Record<string, unknown>> => {
  const block = program?.blocks.get("thing");
  if (block) return block.values;
  throw new Error(diagnostics[0]?.message);
};

const refuses = test.macro({
  exec: async (t, schema: BlockSchema, body: string, ...expected: string[]) => {
    t.deepEqual(messages(await loadThing(schema, body)), expected);
  },
  title: (name) => name ?? "",
});

test(
  "a run-time name belongs to the attribute that has it",
  refuses,
  c.block({
    attrs: {
      both: c.object({
        a: c.expr({ scope: one, returns: c.any() }),
        b: c.expr({ scope: other, returns: c.any() }),
      }),
    },
  }),
  "both = { a = payload.x, b = payload.x }",
  "E201 `both.b` uses `payload`, which is no name of the event",
);
test(
  "of a union the branch that came furthest complains",
  refuses,
  c.block({ attrs: { a: c.union(c.boolean(), c.list(c.oneOf("x", "y"))) } }),
  'a = ["x", "z"]',
  'E303 `a[1]` must be one of `"x"` or `"y"`, not the string `"z"`',
);
test(
  "where no branch of a union fits at all, all are named",
  refuses,
  c.block({ attrs: { a: c.union(c.boolean(), c.list(c.string())) } }),
  "a = 5",
  "E301 `a` must be true or false or a list of strings, not the number `5`",
);
test(
  "a map tells which of its values is wrong",
  refuses,
  c.block({ attrs: { a: c.map(c.map(c.integer())) } }),
  'a = { x = { "y z" = "no", w = 1.5 } }',
  'E301 `a.x["y z"]` must be a whole number, not the string `"no"`',
  "E301 `a.x.w` must be a whole number, not `1.5`",
);
test(
  "lists have lengths, and elements that are there once",
  refuses,
  c.block({
    attrs: {
      a: c.list(c.string(), { minItems: 2, maxItems: 3, unique: true }),
      b: c.list(c.any(), { maxItems: 1 }),
    },
  }),
  'a = ["x", "y", "x"]\nb = [1, 2]',
  "E317 `a[2]` is in the list already, at position 0",
  "E317 `b` must have at most 1 element",
);
test(
  "durations and sizes are not negative unless the plugin says so",
  refuses,
  c.block({ attrs: { a: c.duration(), b: c.size().min(-1024), c: c.percent().max(0.5) } }),
  "a = -1s\nb = -1KiB\nc = 60%",
  "E302 `a` must be at least `0s`, not `-1s`",
  "E302 `c` must be at most `50%`, not `60%`",
);
test(
  "an enum may have numbers",
  refuses,
  c.block({ attrs: { a: c.oneOf(1, 2), b: c.oneOf("only") } }),
  'a = 3\nb = "other"',
  "E303 `a` must be one of `1` or `2`, not the number `3`",
  'E303 `b` must be `"only"`, not the string `"other"`',
);
test(
  "an expression's constant is held to the same rules as any value",
  refuses,
  c.block({
    attrs: {
      a: c.expr({ scope: one, returns: c.integer().min(5) }),
      b: c.expr({ scope: one, returns: c.list(c.string()) }),
    },
  }),
  'a = 3\nb = ["x", 5]',
  "E302 `a` must be at least `5`, not `3`",
  "E301 `b[1]` must be a string, not the number `5`",
);
test(
  "what an expression will give is checked as far as it can be seen",
  refuses,
  c.block({
    attrs: {
      a: c.expr({ scope: one, returns: c.list(c.string()) }),
      b: c.expr({ scope: one, returns: c.duration() }),
      c: c.expr({ scope: one, returns: c.union(c.string(), c.secret()) }),
    },
  }),
  'a = length(payload)\nb = payload.x == 1 ? 5 : 6\nc = "${secret("env:X")}${payload.x}"',
  "E316 `a` must give a list of strings, and this gives a number",
  "E316 `b` must give a duration, and this gives a number",
);
test(
  "an attribute and a nested block that are not there are told with what there is",
  refuses,
  c.block({ attrs: { alpha: c.string().optional() }, blocks: { beta: c.block({ min: 2 }) } }),
  "zzz = 1\nyyy {}\nbeta {}",
  "E107 `thing` needs 2 blocks `beta`",
  "E101 unknown attribute `zzz` in `thing` block",
  "E102 there is no block `yyy` in `thing`",
);

test("any value is taken as it is, secrets apart", async (t) => {
  const schema = c.block({ attrs: { a: c.any() } });
  const { a } = valuesOf(
    await loadThing(schema, 'a = [1m, 1KiB, 50%, null, { x = secret("env:X") }]'),
  );
  const [duration, size, share, nothing, object] = a as [
    number,
    number,
    number,
    null,
    { x: Secret },
  ];
  t.deepEqual([duration, size, share, nothing], [60_000, 1024, 0.5, null]);
  t.is(String(object.x), "(secret)");
});

test("a block without a name and one with two have keys of their own", async (t) => {
  const pair = c.block({
    label: c.name(),
    secondLabel: c.string().optional(),
    attrs: { to: c.ref("thing").optional() },
  });
  const { program, diagnostics } = await loadThing(pair, "", "/configuration/main.reeve.json");
  t.is(program, undefined);
  t.is(diagnostics.length, 1);
  const text =
    '{ "thing": [{ "$block": ["a"] }, { "$block": ["a", "b c"], "to": { "$expr": "thing.a[\\"b c\\"]" } }] }';
  const loaded = await loadThing(pair, text, "/configuration/main.reeve.json");
  t.deepEqual(messages(loaded), []);
  t.deepEqual([...(loaded.program?.blocks.keys() ?? [])], ["thing.a", 'thing.a["b c"]']);
});

test("a JSON file can be the root file", async (t) => {
  const schema = c.block({ label: c.name(), attrs: { a: c.integer() } });
  const loaded = await loadThing(
    schema,
    '{ "thing": { "$block": ["x"], "a": "5" } }',
    "/configuration/main.reeve.json",
  );
  t.deepEqual(messages(loaded), ['E301 `a` must be a whole number, not the string `"5"`']);
  t.deepEqual(
    loaded.diagnostics[0]?.fix?.edits.map(({ text }) => text),
    ["5"],
  );
});
