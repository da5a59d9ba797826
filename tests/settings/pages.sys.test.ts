/** The plugin's page and its example keep their word. */
import { cpSync, existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { testPlugin } from "reeve/testing";
import { folder } from "../../cli/testing/reeve.js";
import { running } from "../../cli/testing/running.js";
import { describeBlock } from "../../daemon/plugin-api/block.js";
import { until } from "../../daemon/plugin-testing/until.js";
import plugin from "../../plugins/settings/plugin.js";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const page = readFileSync(at("plugins/settings/README.md"), "utf8");
const examples = [
  ...[...page.matchAll(/^```reeve\n(.*?)^```/gms)].map(([, text = ""]) => text),
  ...(plugin.blocks.settings.options.examples ?? []),
];

async function isValid(t: ExecutionContext, config: string): Promise<void> {
  // A temporary home, so that the test does not touch the user's files.
  const home = config.replaceAll("~/", "./home/");
  const files = {
    "pyright.schema.json": readFileSync(at("examples/settings/pyright.schema.json"), "utf8"),
  };
  const tested = await testPlugin(plugin, { config: home, files });
  await tested.stop();
  t.pass();
}

test("the examples on the page and in the block's description are valid", async (t) => {
  t.true(examples.length >= 4);
  for (const example of examples) await isValid(t, example);
});

test("every attribute is in the table, with its default", (t) => {
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` \|([^|]*)\|/gm)].map(([, name, value]) => [name, value?.trim()]),
  );
  const { attributes } = describeBlock(plugin.blocks.settings);
  for (const [name, { default: value, required }] of Object.entries(attributes)) {
    t.is(rows.get(name), required ? "needed" : value === undefined ? "" : `\`${value}\``, name);
  }
});

test("every subcommand and every diagnostic code is on the page", async (t) => {
  const { manifest } = await import("../../plugins/settings/cli/manifest.js");
  for (const name of Object.keys(manifest.commands ?? {}))
    t.true(page.includes(`| \`reeve settings ${name}`), name);
  const sources = globSync("*.ts", { cwd: at("plugins/settings") }).map((name) =>
    readFileSync(at(`plugins/settings/${name}`), "utf8"),
  );
  const codes = [
    ...sources
      .join("")
      .matchAll(/(?:code: |\? |: |InvalidServer\(\s*)"(schema|value|unknown_key|circle)"/g),
  ];
  const found = [...new Set(codes.map(([, code]) => code))].sort();
  t.deepEqual(found, ["circle", "schema", "unknown_key", "value"]);
  for (const [, code] of codes) t.true(page.includes(`| \`settings.${code}\` |`), code);
});

test("the example runs as it is, and does what its page says", async (t) => {
  const cwd = folder(t);
  cpSync(at("examples/settings"), cwd, { recursive: true });
  const daemon = await running(t, cwd);
  const { stdout } = await daemon.reeve("settings", "show", "--set", "--json");
  const status = JSON.parse(stdout) as {
    settings: { name: string; files: { state: string }[]; settings: Record<string, unknown>[] }[];
  };
  t.deepEqual(
    status.settings.map(({ name, files, settings }) => [
      name,
      files.map(({ state }) => state),
      Object.fromEntries(
        settings
          .filter(({ origin }) => origin !== "default")
          .map(({ key, value, origin }) => [key, [value, origin]]),
      ),
    ]),
    [
      [
        "zls",
        ["good", "good"],
        {
          enable_snippets: [false, "override"],
          build_on_save_args: [["check", "-Doptimize=Debug"], "workspace"],
          semantic_tokens: ["none", "workspace"],
          warn_style: [true, "file"],
        },
      ],
      ["pyright", ["good"], { analysis: [{ typeCheckingMode: "strict" }, "file"] }],
    ],
  );
  const written = join(cwd, "generated/zls.json");
  await until(() => existsSync(written), "the merged file");
  t.is(JSON.parse(readFileSync(written, "utf8")).semantic_tokens, "none");
});
