import test from "ava";
import { folder, type ProgramResult, reeve } from "../testing/reeve.js";

const sound = 'daemon {\n  settle = 1s\n}\n\ntest "sums" {\n  expect = 1 + 1 == 2\n}\n';
const mistyped = "daemon {\n  settl = 1s\n}\n";
const failing = 'test "sums" {\n  expect = 1 + 1 == 3\n}\n';
const warned = 'import "./teams/*.reeve"\n';

const carets = `error[E101]: unknown attribute \`settl\` in \`daemon\` block
 --> main.reeve:2:3
  |
2 |   settl = 1s
  |   ^^^^^ did you mean \`settle\`?
  = fix: rename to \`settle\`
  = in: daemon

1 error, 0 warnings.
`;

const checks = test.macro<[string, Omit<ProgramResult, "stderr">]>(async (t, text, expected) => {
  const cwd = folder(t, { "main.reeve": text });
  t.deepEqual(await reeve(["check"], { cwd }), { stderr: "", ...expected });
});

test("a sound configuration", checks, sound, {
  code: 0,
  stdout: "main.reeve: valid. 0 blocks in 1 file. 1 test passed.\n",
});
test("a mistake has carets and exit code 78", checks, mistyped, { code: 78, stdout: carets });
test("a failing test is a finding", checks, failing, {
  code: 1,
  stdout: `error[E701]: this is expected to hold, and does not
 --> main.reeve:2:12
  |
2 |   expect = 1 + 1 == 3
  |            ^^^^^^^^^^
  | 1 + 1 == 3  →  false
  |   1 + 1  →  2
  = in: test "sums"

1 error, 0 warnings. 1 of 1 test failed.
`,
});

const where = test.macro<[readonly string[], string]>({
  async exec(t, words, stdout) {
    const cwd = folder(t, {
      "main.reeve": "",
      "host/main.reeve": 'import "./more.reeve"\n',
      "host/more.reeve": "x =\n",
      "other.reeve": "",
    });
    const ended = await reeve(["check", "--format", "github", ...words], { cwd });
    t.is(ended.stdout.split(",")[0] ?? "", stdout);
  },
  title: (_, words = []) => `\`check ${words.join(" ")}\` reads the right file`,
});
test(where, [], "");
test(where, ["other.reeve"], "");
test(where, ["host"], "::error file=host/more.reeve");
test(where, ["./host/main.reeve"], "::error file=host/more.reeve");

test("a missing file is distinguished from an invalid one", async (t) => {
  const cwd = folder(t);
  t.deepEqual(await reeve(["check"], { cwd }), {
    code: 66,
    stdout: "",
    stderr:
      "reeve: there is no `main.reeve`\nName another file, or write a first one with `reeve init`.\n",
  });
  t.deepEqual(await reeve(["check", "nowhere"], { cwd }), {
    code: 66,
    stdout: "",
    stderr:
      "reeve: there is no `nowhere`\nName the root file of a configuration, or its directory.\n",
  });
});

test("JSON has every diagnostic with its range, and every test", async (t) => {
  const cwd = folder(t, { "main.reeve": mistyped });
  const { code, stdout } = await reeve(["check", "--json"], { cwd });
  const found = JSON.parse(stdout);
  t.is(code, 78);
  t.like(found.diagnostics[0], {
    code: "E101",
    severity: "error",
    file: "main.reeve",
    range: { start: { line: 2, column: 3, offset: 11 }, end: { line: 2, column: 8, offset: 16 } },
    fix: { title: "rename to `settle`" },
  });
  t.deepEqual(await reeve(["check", "--format", "json"], { cwd }), { code, stdout, stderr: "" });
  const tests = await reeve(["check", "--json"], { cwd: folder(t, { "main.reeve": failing }) });
  t.deepEqual(JSON.parse(tests.stdout).tests, [{ name: "sums", passed: false }]);
});

test("colours are for terminals, unless they are asked for", async (t) => {
  const cwd = folder(t, { "main.reeve": mistyped });
  const plain = await reeve(["check"], { cwd });
  t.is(plain.stdout, carets);
  const forced = await reeve(["check"], { cwd, env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  t.not(forced.stdout, carets);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are control characters.
  t.is(forced.stdout.replaceAll(/\u001b\[[0-9;]*m/g, ""), carets);
});

test("with --strict a warning is a finding", async (t) => {
  const cwd = folder(t, { "main.reeve": warned });
  const relaxed = await reeve(["check"], { cwd });
  const strict = await reeve(["check", "--strict"], { cwd });
  t.deepEqual([relaxed.code, strict.code], [0, 1]);
  t.is(relaxed.stdout, strict.stdout);
});

test("--all shows more than the first 20", async (t) => {
  const cwd = folder(t, { "main.reeve": "}\n".repeat(25) });
  const shown = async (...words: readonly string[]) =>
    (await reeve(["check", ...words], { cwd })).stdout.match(/^error/gm)?.length;
  t.deepEqual([await shown(), await shown("--all")], [20, 25]);
});

test("a path through a file leads nowhere", async (t) => {
  const cwd = folder(t, { file: "" });
  t.deepEqual(await reeve(["check", "file/main.reeve"], { cwd }), {
    code: 66,
    stdout: "",
    stderr:
      "reeve: there is no `file/main.reeve`\nName the root file of a configuration, or its directory.\n",
  });
});

test("standard input can stand for a file that is not saved yet", async (t) => {
  const cwd = folder(t, { "main.reeve": 'import "./more.reeve"\n', "more.reeve": "" });
  const words = ["check", "--format", "github", "--stdin-as", "more.reeve"];
  const broken = await reeve(words, { cwd, stdin: "let a =\n" });
  t.is(broken.code, 78);
  t.regex(broken.stdout, /^::error file=more\.reeve,line=1,/);
  t.is((await reeve(words, { cwd, stdin: "let a = 1\n" })).code, 0);
});
