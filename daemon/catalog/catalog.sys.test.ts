import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { load } from "../config/load.js";
import { c } from "../plugin-api/block.js";
import { definePlugin } from "../plugin-api/plugin.js";
import { type CatalogOptions, createCatalog } from "./catalog.js";
import { writeTree } from "./testing/tree.js";

/** A plugin as its author writes it: it imports nothing but `reeve/plugin`. */
const ACME = `
  import { c, definePlugin } from "reeve/plugin";
export default definePlugin({
  id: "acme-chat", title: "Acme chat", api: 1, version: "2.3.0",
  blocks: {
    chat: c.block({
      label: c.name().check((label) => (label === "main" ? "no chat is called so" : undefined)),
      attrs: {
        room: c.string().check((room) => (room.startsWith("#") ? undefined : "a room begins with \`#\`")),
        limit: c.duration().default("1m"),
      },
      blocks: {
        member: c.block({ label: c.name(), attrs: { role: c.string().check((role) => role === "king" ? "no kings" : undefined) } }),
      },
      check: (block, report) => { if (block.values.limit > 3600000) report(["limit"], "too long", "take less"); },
    }),
  },
  functions: {
    shout: c.function({ parameters: { text: c.string() }, returns: c.string(), run: (text) => text.toUpperCase() }),
    halve: c.function({ parameters: { time: c.duration() }, returns: c.duration(), run: (time) => time / 2 }),
    refuse: c.function({ parameters: {}, returns: c.string(), run: () => { throw new Error("not today"); } }),
    hang: c.function({ parameters: {}, returns: c.string(), run: () => { for (;;); } }),
    die: c.function({ parameters: {}, returns: c.string(), run: () => process.exit(3) }),
  },
  setup: () => ({ prepare: () => ({ commit() {} }) }),
});
`;
const PACKAGE = JSON.stringify({
  name: "@acme/chat",
  version: "2.3.0",
  type: "module",
  exports: "./chat.js",
});

const installed = {
  "node_modules/@acme/chat/package.json": PACKAGE,
  "node_modules/@acme/chat/chat.js": ACME,
};

async function loadTree(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  options: CatalogOptions = { builtins: [] },
) {
  const catalog = createCatalog(options);
  t.teardown(() => catalog.close());
  const root = writeTree(t, files, "main.reeve");
  const outcome = await load(root, { catalog });
  const complaints = outcome.diagnostics.map(({ code, message }) => `${code} ${message}`);
  return { ...outcome, complaints, root, catalog };
}

const declared = 'plugin "acme" { source = "npm:@acme/chat"; version = "^2.1" }\n';

for (const isolation of ["worker", "process"] as const) {
  const declaration = `plugin "acme" { source = "npm:@acme/chat"; isolation = "${isolation}" }\n`;

  test.serial(
    `a declared plugin brings kinds, functions and checks, described in a ${isolation}`,
    async (t) => {
      const { program, complaints } = await loadTree(t, {
        ...installed,
        "main.reeve": `${declaration}acme.chat "ops" { room = "#\${acme.shout("ops")}"; limit = acme.halve(10s) }\n`,
      });
      t.deepEqual(complaints, []);
      t.like(program?.blocks.get("acme.chat.ops"), {
        plugin: "acme-chat",
        values: { room: "#OPS", limit: 5000 },
      });
    },
  );
}

test.serial(
  "a plugin's checks complain about the label, a value, a nested value and the whole block",
  async (t) => {
    const { diagnostics, sources } = await loadTree(t, {
      ...installed,
      "main.reeve": `${declared}acme.chat "main" { room = "ops" }
acme.chat "b" { room = "#b"; member "x" { role = "king" } }
acme.chat "c" { room = "#c"; limit = 2h }\n`,
    });
    const text = sources.get("main.reeve")?.text ?? "";
    t.deepEqual(
      diagnostics.map(({ code, message, location, help }) => [
        code,
        message,
        text.slice(location?.start, location?.end),
        help,
      ]),
      [
        ["acme-chat.invalid", "no chat is called so", 'acme.chat "main"', undefined],
        ["acme-chat.invalid", "a room begins with `#`", '"ops"', undefined],
        ["acme-chat.invalid", "no kings", '"king"', undefined],
        ["acme-chat.invalid", "too long", "2h", "take less"],
      ],
    );
  },
);

const functionCases: ReadonlyArray<readonly [call: string, complaint: RegExp]> = [
  ["acme.refuse()", /E510 .*cannot answer: not today$/],
  ["acme.hang()", /E510 .*cannot answer: it did not answer within 1 s$/],
  ["acme.die()", /E510 .*cannot answer: its code ended itself with code 3$/],
];
for (const [call, complaint] of functionCases) {
  test.serial(`${call} is a complaint, and the plugin answers the next question`, async (t) => {
    const files = { ...installed, "main.reeve": `${declared}let x = ${call}\n` };
    const { complaints, root, catalog } = await loadTree(t, files, {
      builtins: [],
      deadlines: { answer: 1000 },
    });
    t.is(complaints.length, 1);
    t.regex(complaints[0] ?? "", complaint);
    writeFileSync(root, `${declared}acme.chat "ops" { room = acme.shout("#a") }\n`);
    const again = await load(root, { catalog });
    t.is(again.program?.blocks.get("acme.chat.ops")?.values.room, "#A");
  });
}

const sources: ReadonlyArray<readonly [source: string, files: Readonly<Record<string, string>>]> = [
  ["./acme.js", { "acme.js": ACME }],
  ["./acme.ts", { "acme.ts": `const typed: number = 1;\nvoid typed;\n${ACME}` }],
  ["./acme", { "acme/package.json": PACKAGE, "acme/chat.js": ACME }],
  ["./acme", { "acme/package.json": '{ "reeve": "./p.mjs" }', "acme/p.mjs": ACME }],
  ["./acme", { "acme/package.json": '{ "reeve": { "plugin": "p.mjs" } }', "acme/p.mjs": ACME }],
  [
    "./acme",
    {
      "acme/package.json":
        '{ "type": "module", "exports": { ".": { "types": "./t.d.ts", "import": "./p.js" } } }',
      "acme/p.js": ACME,
    },
  ],
  ["./acme", { "acme/package.json": '{ "type": "module" }', "acme/index.js": ACME }],
  ["npm:@acme/chat", installed],
];
for (const [index, [source, files]] of sources.entries()) {
  test.serial(`a plugin is found at ${source} (${index + 1})`, async (t) => {
    const { program, complaints } = await loadTree(t, {
      ...files,
      "main.reeve": `plugin "acme" { source = "${source}" }\nacme.chat "ops" { room = "#ops" }\n`,
    });
    t.deepEqual(complaints, []);
    t.is(program?.blocks.size, 1);
  });
}

test.serial("code that changed on the disk is described anew", async (t) => {
  const { root, catalog } = await loadTree(t, {
    "acme.js": ACME,
    "main.reeve": 'plugin "acme" { source = "./acme.js" }\nlet x = acme.shout("a")\n',
  });
  const module = join(root, "../acme.js");
  writeFileSync(module, ACME.replace("shout:", "cry:"));
  utimesSync(module, 1, 1);
  const { diagnostics } = await load(root, { catalog });
  t.deepEqual(
    diagnostics.map(({ code }) => code),
    ["E203"],
  );
});

test.serial("code that did not change is described once", async (t) => {
  const { program, catalog, root } = await loadTree(t, {
    ...installed,
    "main.reeve": `${declared}acme.chat "ops" { room = "#ops" }\n`,
  });
  const first = await catalog.bind(program?.declarations ?? [], root);
  const second = await catalog.bind(program?.declarations ?? [], root);
  t.is(first.plugins[0]?.description, second.plugins[0]?.description);
});

test.serial("a plugin that takes too long to load is a complaint", async (t) => {
  const { complaints } = await loadTree(
    t,
    {
      "acme.js": "await new Promise(() => setInterval(() => {}, 1000));\n",
      "main.reeve": 'plugin "acme" { source = "./acme.js" }\n',
    },
    { builtins: [], deadlines: { load: 500 } },
  );
  t.deepEqual(complaints, [
    "E603 the plugin `acme` cannot be loaded: it did not answer within 0.5 s",
  ]);
});

test.serial("a plugin that is locked up cannot read while it is described", async (t) => {
  const { complaints } = await loadTree(t, {
    "acme.js": 'import { readFileSync } from "node:fs";\nreadFileSync("/etc/passwd");\n',
    "main.reeve": 'plugin "acme" { source = "./acme.js"; isolation = "process" }\n',
  });
  t.is(complaints.length, 1);
  t.regex(complaints[0] ?? "", /^E603 .*Access to this API has been restricted/);
});

const greeter = definePlugin({
  id: "greeter",
  title: "Greeter",
  api: 1,
  blocks: {
    greeting: c.block({
      label: c.name(),
      attrs: { text: c.string().check((text) => (text === "" ? "say something" : undefined)) },
    }),
  },
  functions: {
    hail: c.function({
      parameters: { name: c.string() },
      returns: c.string(),
      run: (n: string) => `hail ${n}`,
    }),
  },
  setup: () => ({ prepare: () => ({ commit: () => undefined }) }),
});

test.serial("a built-in plugin's kinds are written bare, its functions under its id", async (t) => {
  const { program, complaints } = await loadTree(
    t,
    { "main.reeve": 'greeting "a" { text = greeter.hail("Ada") }\n' },
    { builtins: [greeter] },
  );
  t.deepEqual(complaints, []);
  t.is(program?.blocks.get("greeting.a")?.values.text, "hail Ada");
});

test.serial("a built-in plugin's checks run", async (t) => {
  const { complaints } = await loadTree(
    t,
    { "main.reeve": 'greeting "a" { text = "" }\n' },
    { builtins: [greeter] },
  );
  t.deepEqual(complaints, ["greeter.invalid say something"]);
});

test.serial("a declared plugin cannot take the id of a built-in one", async (t) => {
  const { complaints } = await loadTree(
    t,
    {
      "acme.js": ACME.replace('id: "acme-chat"', 'id: "greeter"'),
      "main.reeve": 'plugin "acme" { source = "./acme.js" }\n',
    },
    { builtins: [greeter] },
  );
  t.deepEqual(complaints, [
    "E606 the plugin `acme` calls itself `greeter`, and so does another one",
  ]);
});

test.serial("a built-in plugin that this package does not have is not there", async (t) => {
  const catalog = createCatalog({ builtins: ["does-not-exist", greeter] });
  const { plugins } = await catalog.bind([], "/main.reeve");
  t.deepEqual(
    plugins.map(({ description }) => description.id),
    ["greeter"],
  );
});

test.serial("the host learns where code runs and where it is", async (t) => {
  const { program, catalog, root } = await loadTree(t, {
    ...installed,
    "main.reeve": declared.replace("}", '; isolation = "process" }'),
  });
  const sources = await catalog.sources(program?.declarations ?? [], root);
  const source = sources.get("acme-chat");
  t.like(source, { namespace: "acme", version: "2.3.0", isolation: "process" });
  t.is((await source?.definition())?.id, "acme-chat");
});
