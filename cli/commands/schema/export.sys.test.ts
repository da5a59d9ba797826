import { Ajv2020 } from "ajv/dist/2020.js";
import test from "ava";
import { folder, reeve } from "../../testing/reeve.js";

test("the JSON Schema accepts a configuration in JSON, and finds a mistake in one", async (t) => {
  const { code, stdout, stderr } = await reeve(["schema", "export"]);
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
  const hook = (run: unknown) => ({ hook: { $block: ["deploy"], run } });
  t.true(validate(hook(["./deploy.sh"])), JSON.stringify(validate.errors));
  t.false(validate(hook(5)));
});

test("the reference has every block and function", async (t) => {
  const { stdout } = await reeve(["schema", "export", "--format", "reference"]);
  for (const part of ['## `hook "NAME" { … }`', "## `hook_server", "# Functions", "`json_encode"]) {
    t.true(stdout.includes(part), part);
  }
});

test("descriptors include the plugins that a configuration declares", async (t) => {
  const cwd = folder(t, {
    "main.reeve": 'plugin "acme" { source = "./acme.js" }\n',
    "acme.js": `import { c, definePlugin } from ${JSON.stringify(import.meta.resolve("reeve/plugin"))};
export default definePlugin({ id: "acme-chat", title: "Acme", api: 1, permissions: {},
  blocks: { chat: c.block({ label: c.name(), attrs: {} }) }, setup() {} });
`,
  });
  const words = ["schema", "export", "--format", "descriptor"];
  const idsOf = (text: string): readonly string[] =>
    JSON.parse(text).plugins.map(({ id }: { readonly id: string }) => id);
  const own = await reeve(words, { cwd });
  const all = await reeve([...words, "."], { cwd });
  t.true(idsOf(own.stdout).includes("hooks"));
  t.deepEqual(idsOf(all.stdout), [...idsOf(own.stdout), "acme-chat"]);
  t.like(JSON.parse(all.stdout).plugins.at(-1), { namespace: "acme" });
});

test("an invalid configuration is shown with carets", async (t) => {
  const cwd = folder(t, { "main.reeve": "x = 1\n" });
  const { code, stdout, stderr } = await reeve(["schema", "export", "."], { cwd });
  t.deepEqual([code, stdout], [78, ""]);
  t.regex(stderr, /--> main\.reeve:1:1/);
});
