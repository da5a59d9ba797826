import test from "ava";
import { load } from "../../daemon/config/load.js";
import type { Loaded } from "../../daemon/config/program.js";
import { catalog } from "../../daemon/config/testing/catalog.js";
import { MAIN, memoryDisk, ROOT } from "../../daemon/config/testing/memory-disk.js";
import { PATIENCE } from "../../grammar/testing/texts.js";
import { exampleOf, explanations } from "../print/explanations.js";
import { renamed } from "../print/rename.js";
import { repairDamaged } from "../testing/damaged.js";
import { repaired } from "./repair.js";

test("no fix does harm to 2,000 damaged texts", async (t) => {
  t.timeout(PATIENCE);
  const { fixable, harmed } = await repairDamaged(2000, 7);
  t.true(fixable > 200, String(fixable));
  t.deepEqual(harmed, []);
});

type Texts = ReadonlyMap<string, string>;

const reader =
  (files: Readonly<Record<string, string>>) =>
  async (overlay: Texts): Promise<Loaded> => {
    const loaded = await load(MAIN, { catalog, environment: {}, ...memoryDisk(files), overlay });
    return renamed(loaded, (name) => `${ROOT}/${name}`);
  };

const examples = Object.entries(explanations).flatMap(([code, entry]) => {
  const files = exampleOf(entry).map(({ name, text }) => [name, text] as const);
  return files.length === 0 ? [] : [{ code, files: Object.fromEntries(files) }];
});

test("a fix that is offered repairs its example, and offers nothing more", async (t) => {
  let offered = 0;
  for (const { code, files } of examples) {
    const read = reader(files);
    const before = await read(new Map());
    const fix = before.diagnostics.find((diagnostic) => diagnostic.code === code)?.fix;
    if (!fix) continue;
    offered += 1;
    const { fixed, texts, rest } = await repaired(read);
    t.true(fixed.length > 0, code);
    t.false(
      rest.diagnostics.some((each) => each.code === code),
      `${code}: ${[...texts.values()]}`,
    );
    t.deepEqual((await repaired((more) => read(new Map([...texts, ...more])))).fixed, [], code);
  }
  t.true(offered >= 10, String(offered));
});

test("fixes of several files and several rounds come together", async (t) => {
  const read = reader({
    "main.reeve": 'import "./a.reeve"\n// one\nhook "x" {\n  timout: 1m\n  run = ["a"]\n}\n',
    "a.reeve": "// two\n",
  });
  const { texts, rest } = await repaired(read);
  t.deepEqual(rest.diagnostics, []);
  t.deepEqual(Object.fromEntries(texts), {
    [MAIN]: 'import "./a.reeve"\n# one\nhook "x" {\n  timeout = 1m\n  run = ["a"]\n}\n',
    [`${ROOT}/a.reeve`]: "# two\n",
  });
});

test("JSON is left to a person", async (t) => {
  const read = reader({
    "main.reeve": 'import "./a.reeve.json"\n',
    "a.reeve.json": '{ "hook": { "$block": ["x"], "rum": ["a"] } }\n',
  });
  const { fixed, texts, rest } = await repaired(read);
  t.deepEqual([fixed, [...texts]], [[], []]);
  t.true(rest.diagnostics.length > 0);
});

test("a fix in a loop is applied once", async (t) => {
  const read = reader({
    "main.reeve": 'for name in ["a", "b"] {\n  hook name { rum = ["x"] }\n}\n'.replace(
      "hook name",
      'hook "h-${name}"',
    ),
  });
  const { fixed, rest } = await repaired(read);
  t.is(fixed.length, 1);
  t.deepEqual(rest.diagnostics, []);
});
