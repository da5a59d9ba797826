/** The plugin in a daemon: real files, real watching, the control API. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { Fields } from "reeve/plugin";
import { type PluginUnderTest, testPlugin } from "reeve/testing";
import { eventually } from "../../tests/support/eventually.js";
import type { SettingsSnapshot } from "./effective/api.js";
import plugin from "./plugin.js";

interface Kept {
  readonly plugin: PluginUnderTest;
  save(name: string, text: string): Promise<void>;
  snapshot(name?: string): Promise<SettingsSnapshot>;
  value(key: string): Promise<unknown>;
  /** The data of the n-th event of the type, waited for. */
  event(type: string, index: number): Promise<Fields>;
}

const CONFIG = `settings "zls" {
  watch = ["./zls.json"]
  debounce = 5ms
}
`;

async function kept(
  t: ExecutionContext,
  config = CONFIG,
  files: Record<string, string> = {},
): Promise<Kept> {
  const tested = await testPlugin(plugin, { config, files });
  t.teardown(() => tested.stop());
  const snapshot = async (name = "zls") =>
    (await tested.control({ url: `/v1/settings/${name}` })).json() as SettingsSnapshot;
  return {
    plugin: tested,
    save: (name, text) => writeFile(join(tested.folder, name), text),
    snapshot,
    value: async (key) => (await snapshot()).settings.find((each) => each.key === key)?.value,
    async event(type, index) {
      const event = await eventually(
        `event ${index} of ${type}`,
        () => tested.events.filter((each) => each.type === type)[index],
      );
      return event.data;
    },
  };
}

test("a file that is not there yet is waited for, and every key has a value and an origin", async (t) => {
  const at = await kept(t);
  const before = await at.snapshot();
  t.like(before, { name: "zls", title: "ZLS", section: "zls", version: 1 });
  t.like(before.files, [{ state: "missing", origin: "file" }]);
  await at.save("zls.json", '{"warn_style": true}');
  t.deepEqual(await at.event("settings.changed", 1), {
    name: "zls",
    version: 2,
    changed: [{ key: "warn_style", old: false, new: true, origin: "file", live: "diagnostics" }],
    restartAdvised: [],
  });
  const setting = (await at.snapshot()).settings.find(({ key }) => key === "warn_style");
  t.like(setting, { value: true, origin: "file", path: join(at.plugin.folder, "zls.json") });
});

test("default, file, workspace and override lie on top of each other", async (t) => {
  const at = await kept(
    t,
    `settings "zls" {
  watch = ["./user.jsonc"]
  workspace = ["./project/zls.json5"]
  override = { force_autofix = true }
}
`,
    {
      "user.jsonc": '{ "warn_style": true, "semantic_tokens": "none", /* both */ }',
      "project/zls.json5": "{ semantic_tokens: 'partial', force_autofix: false }",
    },
  );
  const snapshot = await at.snapshot();
  const origins = Object.fromEntries(
    snapshot.settings.map(({ key, value, origin }) => [key, [value, origin]]),
  );
  t.deepEqual(origins.warn_style, [true, "file"]);
  t.deepEqual(origins.semantic_tokens, ["partial", "workspace"]);
  t.deepEqual(origins.force_autofix, [true, "override"]);
  t.deepEqual(origins.enable_snippets, [true, "default"]);
});

test("the last good settings stay in force while a file is broken", async (t) => {
  const at = await kept(t, CONFIG, { "zls.json": '{"warn_style": true}' });
  await at.save("zls.json", '{"warn_style": tru}');
  const { findings, ...rejected } = await at.event("settings.rejected", 0);
  t.deepEqual(rejected, {
    name: "zls",
    path: join(at.plugin.folder, "zls.json"),
    state: "last_good",
  });
  t.like(findings, [{ message: "`tru` is not a value", line: 1, column: 16 }]);
  t.is(await at.value("warn_style"), true);
  t.regex((await at.plugin.health())?.reason ?? "", /zls\.json is broken: .*stays in force/);
  await at.save("zls.json", '{"warn_style": false}');
  t.like(await at.event("settings.changed", 1), { version: 2 });
  t.is(await at.value("warn_style"), false);
  t.is((await at.plugin.health())?.state, "healthy");
});

test("one wrong value does not take the file's other settings away", async (t) => {
  const at = await kept(t, CONFIG, { "zls.json": '{"warn_style": true}' });
  await at.save("zls.json", '{"warn_style": true, "semantic_tokens": 3}');
  await at.event("settings.rejected", 0);
  t.is(await at.value("warn_style"), true);
  t.is(await at.value("semantic_tokens"), "full");
});

test("a save that changes no value is not told to anybody", async (t) => {
  const at = await kept(t, CONFIG, { "zls.json": '{"warn_style": true}' });
  await at.save("zls.json", '{ "warn_style": true, "enable_snippets": true }');
  await eventually("it is suppressed", async () => (await at.snapshot()).suppressed > 0);
  await at.save("zls.json", '{"force_autofix": true}');
  t.like(await at.event("settings.changed", 1), { version: 2 });
  t.is((await at.snapshot()).suppressed, 1);
});

test("a file that is deleted sets nothing any more", async (t) => {
  const at = await kept(t, CONFIG, { "zls.json": '{"warn_style": true}' });
  await rm(join(at.plugin.folder, "zls.json"));
  await at.event("settings.changed", 1);
  t.is(await at.value("warn_style"), false);
});

test("what cannot be a settings file is one clear finding, and nothing hangs", async (t) => {
  const at = await kept(t);
  await mkdir(join(at.plugin.folder, "zls.json"));
  t.like(await at.event("settings.rejected", 0), {
    findings: [{ code: "unreadable", message: "the file is a directory" }],
  });
  await rm(join(at.plugin.folder, "zls.json"), { recursive: true });
  const large = join(at.plugin.folder, "large");
  await writeFile(large, Buffer.alloc(16 * 1024 * 1024 + 1, " "));
  await rename(large, join(at.plugin.folder, "zls.json"));
  t.like(await at.event("settings.rejected", 1), {
    findings: [{ message: "the file cannot be read: larger than 16 MiB" }],
  });
});

test("what is set is written to one file for servers that only read files", async (t) => {
  const at = await kept(
    t,
    `settings "zls" {
  watch = ["./zls.json5"]
  debounce = 5ms
  write = "./out/zls.json"
}
`,
    { "zls.json5": "{ warn_style: true }" },
  );
  const written = async (text: string) => {
    const path = join(at.plugin.folder, "out/zls.json");
    await eventually(text, async () => (await readFile(path, "utf8")) === text);
    t.pass();
  };
  await written('{\n  "warn_style": true\n}\n');
  await at.save("zls.json5", "{ semantic_tokens: 'none' }");
  await written('{\n  "semantic_tokens": "none"\n}\n');
});

test("an edit of the configuration goes on from what was in force", async (t) => {
  const at = await kept(t, CONFIG, { "zls.json": '{"warn_style": true}' });
  await at.save("zls.json", "{");
  await at.event("settings.rejected", 0);
  const { committed } = await at.plugin.reload(
    CONFIG.replace("}", "  override = { force_autofix = true }\n}"),
  );
  t.true(committed);
  t.is(await at.value("warn_style"), true);
  t.is(await at.value("force_autofix"), true);
  const { versions } = (await at.plugin.control({ url: "/v1/settings/zls/versions" })).json() as {
    versions: ReadonlyArray<{ version: number }>;
  };
  t.deepEqual(
    versions.map(({ version }) => version),
    [1, 2],
  );
});

test("an override is checked like a file, where it is written", async (t) => {
  const at = await kept(t);
  const { committed, text } = await at.plugin.reload(
    CONFIG.replace("}", '  override = { warn_style = "yes", enable_snipets = true }\n}'),
  );
  t.false(committed);
  t.regex(text, /`warn_style` must be `true` or `false`, not the text "yes"/);
  t.regex(text, /ZLS has no setting `enable_snipets`[\s\S]*did you mean `enable_snippets`\?/);
});

for (const [name, change, message] of [
  [
    "an unknown server",
    ['"zls"', '"zsl"'],
    /Reeve has no schema for "zsl"[\s\S]*Did you mean "zls"/,
  ],
  [
    "a schema that is not there",
    ["watch", 'schema = "./no.json"\n  watch'],
    /"\.\/no\.json" is not there/,
  ],
  ["a circle", ["watch", 'write = "./zls.json"\n  watch'], /would be read again/],
] as const) {
  test(`${name} is refused with a sentence`, async (t) => {
    const at = await kept(t);
    const [from, to] = change;
    const { committed, text } = await at.plugin.reload(CONFIG.replace(from, to));
    t.false(committed);
    t.regex(text, message);
  });
}

test("any server can be described by a schema of one's own", async (t) => {
  const at = await kept(
    t,
    `settings "mine" {
  schema = "./mine.schema.json"
  section = "my.server"
  watch = ["./mine.json"]
}
`,
    {
      "mine.schema.json": JSON.stringify({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        title: "Mine",
        properties: { level: { type: "integer", default: 1 } },
      }),
      "mine.json": '{"level": 3}',
    },
  );
  t.like(await at.snapshot("mine"), {
    title: "Mine",
    section: "my.server",
    settings: [{ key: "level", value: 3, origin: "file", default: 1, live: "unknown" }],
  });
  const missing = await at.plugin.control({ url: "/v1/settings/zls" });
  t.is(missing.status, 404);
  t.like(missing.json(), { code: "settings.unknown" });
});

const OWN = `settings "mine" {
  schema = "./mine.schema.json"
  watch = ["./mine.json"]
  debounce = 5ms
}
`;
const levels = (type: string, byDefault: unknown) =>
  JSON.stringify({ title: "Mine", properties: { level: { type, default: byDefault } } });

test("an edit of a schema applies at once, and a broken schema changes nothing", async (t) => {
  const at = await kept(t, OWN, {
    "mine.schema.json": levels("integer", 1),
    "mine.json": '{"level": 3}',
  });
  const delivered = async () =>
    (await at.plugin.control({ url: "/v1/settings/mine/delivery" })).json() as {
      server: { schema: { properties: { level: { type: string } } } };
    };
  t.is((await at.snapshot("mine")).version, 1);
  await at.save("mine.schema.json", levels("string", "low"));
  t.like(await at.event("settings.changed", 1), { version: 2 });
  t.is((await delivered()).server.schema.properties.level.type, "string");
  t.like((await at.snapshot("mine")).files, [{ state: "last_good" }]);
  await at.save("mine.json", '{"level": "high"}');
  t.like(await at.event("settings.changed", 2), { changed: [{ key: "level", new: "high" }] });

  await at.save("mine.schema.json", "{");
  const degraded = () =>
    eventually("it is degraded", async () => (await at.plugin.health())?.reason);
  t.regex(await degraded(), /mine\.schema\.json" is not JSON.*stays in force/);
  t.like((await at.snapshot("mine")).settings, [{ key: "level", value: "high" }]);
});

test("an override is written as objects in objects, or with dots", async (t) => {
  const properties = { "a.x": { type: "number" }, "a.y": { type: "number" } };
  const config = (override: string) => `settings "mine" {
  schema = "./mine.schema.json"
  watch = ["./mine.json"]
  override = { ${override} }
}
`;
  const at = await kept(t, config('a = { x = 1 }, "a.y" = 2'), {
    "mine.schema.json": JSON.stringify({ properties }),
  });
  t.like((await at.snapshot("mine")).settings, [
    { key: "a.x", value: 1 },
    { key: "a.y", value: 2 },
  ]);
  const { text } = await at.plugin.reload(config("a = { x = true }"));
  t.regex(text, /`a\.x` must be a number[\s\S]*\n.*a = \{ x = true \}.*\n +\| +\^{4}/);
});
