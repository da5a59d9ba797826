/** `reeve plugin new` and `reeve plugin check`: the package that the one writes passes the other, its own tests and the compiler. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { run } from "../../../tests/support/child.js";
import { isLong } from "../../../tests/support/runs.js";
import { folder, reeve } from "../../testing/reeve.js";

const project = fileURLToPath(new URL("../../../..", import.meta.url));
const compiler = join(project, "node_modules/typescript/bin/tsc");

/** Edits a file of a new package. */
const edit = (path: string, from: string | RegExp, to: string): void => {
  const text = readFileSync(path, "utf8");
  if (text.replace(from, to) === text) throw new Error(`${path} lacks ${from}`);
  writeFileSync(path, text.replace(from, to));
};

test("a new package passes its tests, the conformance checks, the compiler and `reeve check`", async (t) => {
  t.timeout(240_000);
  const cwd = folder(t);
  const written = await reeve(["plugin", "new", "my-thing"], { cwd });
  t.is(written.code, 0, written.stderr);
  t.regex(written.stderr, /Next: `cd reeve-plugin-my-thing`, `npm install`, `npm test`/);
  const own = join(cwd, "reeve-plugin-my-thing");
  mkdirSync(join(own, "node_modules"));
  symlinkSync(project, join(own, "node_modules/reeve"));
  const env = { PATH: process.env.PATH };
  // What every plugin does in a process is seen elsewhere.
  const skipped = isLong ? [] : ["--test-skip-pattern=^process:"];
  const tests = await run(process.execPath, ["--test", ...skipped], { cwd: own, env });
  t.is(tests.code, 0, tests.stdout);
  t.regex(tests.stdout, /pass 2[0-9]\n/);
  const flags = ["--noEmit", "--strict", "--allowJs", "--module", "nodenext", "--skipLibCheck"];
  const types = ["--typeRoots", join(project, "node_modules/@types"), "--types", "node"];
  const files = ["plugin.js", "plugin.test.js", "conformance.js"];
  const compiling = [compiler, ...flags, ...types, ...files];
  const compiled = await run(process.execPath, compiling, { cwd: own, env });
  t.is(compiled.code, 0, compiled.stdout);
  const checked = await reeve(["check"], { cwd: own });
  t.is(checked.code, 0, checked.stdout + checked.stderr);
  const conforming = await reeve(["plugin", "check", "--only", "inline", "--json"], { cwd: own });
  t.is(conforming.code, 0, conforming.stderr);
  const { plugin, version, results } = JSON.parse(conforming.stdout);
  t.deepEqual([plugin, version], [own, "0.1.0"]);
  t.true(results.length > 5);

  edit(join(own, "plugin.js"), "texts = nextTexts;", "");
  const words = ["plugin", "check", own, "--only", "inline: a committed"];
  // A process keeps the module that it has imported before.
  const broken = await reeve(words, { cwd, isAlone: true });
  t.is(broken.code, 1);
  t.regex(broken.stdout, /^FAIL {2}inline: a committed edit does what the new configuration says/);
  t.is(broken.stderr, "1 check, 1 failed.\n");
});

test("what cannot be written is refused, and nothing is overwritten", async (t) => {
  const cwd = folder(t, { "used/file": "mine", blocked: "" });
  const cases: ReadonlyArray<readonly [words: readonly string[], code: number, says: RegExp]> = [
    [["Up"], 64, /`Up` cannot be the id of a plugin\n.*lower-case/],
    [["../x"], 64, /cannot be the id/],
    [["web"], 64, /`reeve web` is a command already\n.*another name/],
    [["x", "used"], 73, /`used` is not empty/],
    [["x", "blocked"], 73, /`blocked` cannot be written/],
    [["x", "blocked/below"], 73, /cannot be written/],
  ];
  for (const [words, code, says] of cases) {
    const result = await reeve(["plugin", "new", ...words], { cwd });
    t.is(result.code, code, result.stderr);
    t.regex(result.stderr, says);
  }
  t.is(readFileSync(join(cwd, "used/file"), "utf8"), "mine");
});

test("a check without a plugin or without options says what is missing", async (t) => {
  const plugin = `import { c, definePlugin } from "reeve/plugin";
    export default definePlugin({
      id: "x", title: "X", api: 1, blocks: { thing: c.block({ label: c.name(), attrs: {} }) },
      setup: () => ({ prepare: () => ({ commit() {} }) }),
    });`;
  const cwd = folder(t, {
    "x.mjs": plugin,
    "empty.js": "export default {};",
    "broken.js": "export default {",
    "entry/package.json": '{ "exports": "./none.js" }',
  });
  const cases: ReadonlyArray<readonly [words: readonly string[], says: RegExp]> = [
    [["none"], /there is no plugin `none`\n.*npm install/],
    [["entry"], /none\.js is not there/],
    [["x.mjs"], /the options of the checks cannot be read: conformance\.js/],
    [["x.mjs", "--options", "broken.js"], /cannot be read: broken\.js/],
    [["x.mjs", "--options", "empty.js"], /empty\.js exports no options: `config`/],
  ];
  for (const [words, says] of cases) {
    const result = await reeve(["plugin", "check", ...words], { cwd });
    t.is(result.code, 66, result.stderr);
    t.regex(result.stderr, says);
    t.notRegex(result.stderr, /\n {4}at /);
  }
});
