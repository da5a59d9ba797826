import { globSync, readFileSync } from "node:fs";
import test from "ava";
import fc from "fast-check";
import { render } from "../../../grammar/render.js";
import { runs } from "../../../tests/support/runs.js";
import { load } from "../load.js";
import type { Loaded } from "../program.js";
import { configuration } from "../testing/arbitrary.js";
import { catalog } from "../testing/catalog.js";
import { type Files, memoryDisk, ROOT } from "../testing/memory-disk.js";
import { outlineOf } from "../testing/outline.js";

/** Loads under a root of its own, so that nothing is remembered from other loads. */
let roots = 0;
const freshRoot = (): string => {
  roots += 1;
  return `main-${roots}.reeve`;
};

const loadAt = (name: string, main: string, files: Files = {}, environment = {}): Promise<Loaded> =>
  load(`${ROOT}/${name}`, { catalog, environment, ...memoryDisk({ ...files, [name]: main }) });

/** Everything a load gives, as text, the root's name left out. */
function outcome({ program, diagnostics, sources, watch }: Loaded, name: string): string {
  const { sourceHash: _hash, ...rest } = program ?? { sourceHash: "" };
  const text = [
    render(diagnostics, sources),
    program ? outlineOf(program) : "",
    JSON.stringify(rest, (_key, value) => (value instanceof Map ? [...value] : value)),
    JSON.stringify([...watch].sort()),
  ];
  return text.join("\n").replaceAll(name, "main.reeve");
}

const same = async (
  t: { is: (a: unknown, b: unknown, message?: string) => unknown },
  steps: ReadonlyArray<
    readonly [main: string, files: Files, environment: Readonly<Record<string, string>>]
  >,
): Promise<void> => {
  const warm = freshRoot();
  for (const [main, files, environment] of steps) {
    const cold = freshRoot();
    const one = outcome(await loadAt(warm, main, files, environment), warm);
    const other = outcome(await loadAt(cold, main, files, environment), cold);
    t.is(one, other, main);
  }
};

/** Texts with what is wrong, as other tests have them; each alone, whatever they import. */
const wrong: readonly string[] = [
  ...globSync("daemon/config/cases/*.reeve").map(
    (path) => readFileSync(path, "utf8").split(/^----/m)[0] ?? "",
  ),
  ...globSync("tests/mistakes/*.txt").flatMap((path) =>
    readFileSync(path, "utf8")
      .split(/^=== .*$/m)
      .slice(1)
      .map((text) => text.replace(/[⟦⟧]/g, "")),
  ),
  // Errors in a `let` of a block that nothing reads, which is evaluated after the block.
  ...["missing", 'env("NONE")', "1 + true", "let.b"].map(
    (value) => `hook "x" {\n  let a = ${value}\n  let b = let.a\n  run = ["true"]\n}\n`,
  ),
];

test("the second and the third load of a text find in it what the first has found", async (t) => {
  t.timeout(120_000);
  t.true(wrong.length > 250);
  for (const text of wrong) {
    await same(t, [
      [text, {}, {}],
      [text, {}, {}],
      [text, {}, {}],
    ]);
  }
});

test("a load after an edit gives what a load without memory gives", async (t) => {
  t.timeout(90_000);
  const edit = fc.tuple(fc.nat(), fc.constantFrom("", "\n", " ", "x", "0", "# c\n", "let z = 1\n"));
  await fc.assert(
    fc.asyncProperty(
      configuration,
      configuration,
      fc.array(edit, { maxLength: 4 }),
      async (one, other, edits) => {
        const texts = [one];
        for (const [at, insert] of edits) {
          const last = texts.at(-1) ?? "";
          const location = at % (last.length + 1);
          texts.push(last.slice(0, location) + insert + last.slice(location));
        }
        await same(
          t,
          [...texts, one, other, one].map((text) => [text, {}, {}]),
        );
      },
    ),
    { numRuns: runs(10, 60) },
  );
});

const lib = 'let limit = 1GiB\nlet hosts = ["a.org"]\nmixin "m" { memory = let.limit }\n';
const main = `
import "./lib.reeve" as lib
let text = file("notes.txt")
let region = env("REGION", default = "eu")
let unasked = env("NOT_SET") ?? "x"
let asked = env("NOT_SET")
for name in ["a", "b"] {
  let full = "\${name}-\${let.region}"
  sandbox "s-\${name}" {
    use lib.mixin.m
    allow = ["\${let.full}.org"]
    env = { TEXT = let.text, SECRET = secret("env:\${upper(name)}"), X = let.asked ?? "none" }
  }
}
settings "notes" { schema = let.text; watch = [] }
settings "plain" { schema = "plain"; watch = [] }
updates "u" { listen = "127.0.0.1:1" }
settings "reads" { schema = updates.u.url; watch = [] }
hook "h" { run = ["true"]; run_in = sandbox["s-a"] }
`;
const files: Files = { "lib.reeve": lib, "notes.txt": "one" };

const follows = test.macro({
  exec: async (
    t,
    edited: string,
    changed: Files,
    environment: Readonly<Record<string, string>>,
  ) => {
    await same(t, [
      [main, files, {}],
      [main, files, {}],
      [edited, { ...files, ...changed }, environment],
      [edited, { ...files, ...changed }, environment],
      [main, files, {}],
    ]);
  },
  title: (name) => `what is taken over follows ${name}`,
});
test("a file that is read", follows, main, { "notes.txt": "two" }, {});
test("a file that goes away", follows, main, { "notes.txt": new Uint8Array([0xff]) }, {});
test("a variable", follows, main, {}, { REGION: "us" });
test("a variable that was not set", follows, main, {}, { NOT_SET: "set" });
test(
  "a value of an imported file",
  follows,
  main,
  { "lib.reeve": lib.replace("1GiB", "2GiB") },
  {},
);
test(
  "a mixin of an imported file",
  follows,
  main,
  { "lib.reeve": lib.replace("let.limit", "5MiB") },
  {},
);
test("an imported file that moves", follows, main, { "lib.reeve": `# moved\n${lib}` }, {});
test(
  "a mistake in an imported file",
  follows,
  main,
  { "lib.reeve": lib.replace("let.limit", "let.limti") },
  {},
);
test("a loop variable", follows, main.replace('["a", "b"]', '["b", "c"]'), {}, {});
test("a block that others read", follows, main.replace("127.0.0.1:1", "127.0.0.1:2"), {}, {});
test("a block that others name", follows, main.replace('["a", "b"]', '["b"]'), {}, {});
test("text that moves", follows, `# moved\n${main}`, {}, {});

const calling = `import "./given.reeve"(zone = "eu") as given
let memory = 1GiB
for name in ["a", "b"] {
  use given.mixin.box(name = name, memory = let.memory)
}
`;
const given: Files = {
  "given.reeve": `param zone: string
mixin "box" {
  param name: string
  param memory: size
  sandbox "b-\${let.name}" { memory = let.memory; allow = ["\${let.name}.\${let.zone}.org"] }
}
sandbox "own" { allow = ["\${let.zone}.org"] }
`,
};
for (const [title, edited] of [
  ["an argument of a file", calling.replace('"eu"', '"us"')],
  ["an argument of a mixin", calling.replace("memory = let.memory", "memory = 2GiB")],
  ["a value that an argument reads", calling.replace("1GiB", "2GiB")],
  ["a loop variable that an argument reads", calling.replace('["a", "b"]', '["b", "a"]')],
  ["a loop variable inside an argument", calling.replace("name = name", 'name = "x${name}"')],
] as const)
  test(`what is taken over follows ${title}`, async (t) => {
    t.not(edited, calling);
    await same(t, [
      [calling, given, {}],
      [edited, given, {}],
      [calling, given, {}],
    ]);
  });

test(
  "a let that is not asked for any more",
  follows,
  main.replace(', X = let.asked ?? "none"', ""),
  {},
  {},
);

test("a block that is taken over is the same object, one that changed is another", async (t) => {
  const name = freshRoot();
  const parts = { "a.reeve": 'sandbox "a" {}\n', "b.reeve": 'sandbox "b" {}\n' };
  const text = 'import "./a.reeve"\nimport "./b.reeve"\n';
  const first = (await loadAt(name, text, parts)).program;
  const edited = { ...parts, "b.reeve": 'sandbox "b" { memory = 1GiB }\n' };
  const second = (await loadAt(name, text, edited)).program;
  t.is(second?.blocks.get("sandbox.a"), first?.blocks.get("sandbox.a"));
  t.not(second?.blocks.get("sandbox.b"), first?.blocks.get("sandbox.b"));
});

test("a faulty edit does not make the next load forget", async (t) => {
  const name = freshRoot();
  const parts = { "a.reeve": 'sandbox "a" {}\n' };
  const text = 'import "./a.reeve"\n';
  const first = (await loadAt(name, text, parts)).program;
  t.is((await loadAt(name, `${text}sandbox {`, parts)).program, undefined);
  t.is((await load(`${ROOT}/${name}`, { catalog, ...memoryDisk(parts) })).program, undefined);
  const again = (await loadAt(name, text, parts)).program;
  t.is(again?.blocks.get("sandbox.a"), first?.blocks.get("sandbox.a"));
});

test("what is taken over counts towards the limits as if it had been worked out", async (t) => {
  t.timeout(90_000);
  const rows = (name: string) =>
    `let ${name} = "x"\nsandbox "${name}" { allow = [for i in range(990): "h\${i}-\${let.${name}}.org"] }\n`;
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const parts = Object.fromEntries(names("p", 10).map((name) => [`${name}.reeve`, rows(name)]));
  const imports = Object.keys(parts).map((name) => `import "./${name}"\n`);
  const warm = freshRoot();
  const outcomes = new Set<boolean>();
  for (const own of [1, 6, 12, 18, 24]) {
    const text = [...imports, ...names("own", own).map(rows)].join("");
    const cold = freshRoot();
    const one = await loadAt(warm, text, parts);
    const other = await loadAt(cold, text, parts);
    t.is(outcome(one, warm), outcome(other, cold));
    outcomes.add(one.program !== undefined);
  }
  t.is(outcomes.size, 2);
});

test("a plugin is not asked again about a block it has accepted", async (t) => {
  const requested: string[][] = [];
  const counting = {
    async bind(declarations: Parameters<typeof catalog.bind>[0], root: string) {
      const bound = await catalog.bind(declarations, root);
      const plugins = bound.plugins.map((plugin) => ({
        ...plugin,
        validate: (blocks: Parameters<typeof plugin.validate>[0]) => {
          requested.push(blocks.map(({ key }) => key));
          return plugin.validate(blocks);
        },
      }));
      return { ...bound, plugins };
    },
  };
  const name = freshRoot();
  const at = (text: string) =>
    load(`${ROOT}/${name}`, {
      catalog: counting,
      environment: {},
      ...memoryDisk({ [name]: text }),
    });
  const text =
    'plugin "acme" { source = "npm:acme" }\nacme.chat "good" { room = "#a" }\nacme.chat "bad" { room = "b" }\n';
  for (const _ of [1, 2]) {
    const { diagnostics } = await at(text);
    t.deepEqual(
      diagnostics.map(({ code }) => code),
      ["acme-chat.room"],
    );
  }
  t.deepEqual(requested, [["acme.chat.good", "acme.chat.bad"], ["acme.chat.bad"]]);
});
