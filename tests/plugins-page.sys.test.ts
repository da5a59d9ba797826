/** `docs/plugins.md` tells the truth: its plugin runs, its tests pass, its tables are complete. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { createCatalog, load, render } from "reeve";
import { c } from "reeve/plugin";
import { conformanceChecks } from "reeve/testing";
import { run } from "./support/child.js";
import { folder } from "./support/folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/plugins.md"), "utf8");
/** Blocks of code that are files, by name. */
const files = new Map(
  [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", text = ""]) => [
    name,
    text,
  ]),
);

const directory = folder(
  { teardown: (end) => test.after.always(async () => void (await end())) },
  Object.fromEntries(files),
);
test.before(() => {
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(root, join(directory, "node_modules/reeve"));
});

test("the tests on the page pass", async (t) => {
  t.timeout(120_000);
  t.deepEqual([...files.keys()], ["greet.mjs", "main.reeve", "greet.test.mjs", "package.json"]);
  const { code, stdout } = await run(process.execPath, ["--test", "greet.test.mjs"], {
    cwd: directory,
  });
  t.is(code, 0, stdout);
  t.regex(stdout, /it does the same in every isolation/);
  t.regex(stdout, /fail 0/);
});

test("the configuration on the page is valid", async (t) => {
  const catalog = createCatalog();
  t.teardown(() => catalog.close());
  const { program, diagnostics, sources } = await load(join(directory, "main.reeve"), { catalog });
  t.truthy(program, render(diagnostics, sources));
  t.deepEqual([...(program?.blocks.keys() ?? [])], ["hello.greeting.world"]);
});

/** The first column of the table after `heading`. */
function column(heading: string): readonly string[] {
  const table = page
    .slice(page.indexOf(heading))
    .split("\n\n")
    .find((part) => part.startsWith("|"));
  const rows = (table ?? "").split("\n").slice(2);
  return rows.map((row) => row.split("|")[1]?.trim().replaceAll("`", "") ?? "");
}

test("everything that `c` describes is on the page", (t) => {
  t.deepEqual(column("## Language extensions"), Object.keys(c));
});

test("every context member is on the page", (t) => {
  const source = readFileSync(join(root, "daemon/plugin-api/context.ts"), "utf8");
  const [declared = ""] = /interface PluginContext \{[\s\S]*?^\}/m.exec(source) ?? [];
  const members = [...declared.matchAll(/readonly (\w+):/g)].map(([, name]) => name);
  t.deepEqual(column("## Plugin context"), members);
});

test("every conformance check is on the page", (t) => {
  const checks = conformanceChecks(new URL("file:///x.js"), {
    ...{ config: "", edited: "", refused: "", secrets: ["x"] },
    observe: async () => null,
    keeps: async () => null,
  });
  const titles = checks.map(({ title }) => title.replace(/^\w+: /, ""));
  t.deepEqual(column("### Conformance"), [...new Set(titles)]);
});
